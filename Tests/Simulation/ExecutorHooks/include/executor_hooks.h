// The runtime's own hooks, by which a process may decide itself when and where jobs of Swift's concurrency run.
#pragma once

/// Hands every job that is ready to `take` from now on, instead of to the runtime's threads. Returns 0, or -1 when the runtime
/// has no such hooks.
int executor_take_jobs(void (*take)(void *job));

/// Runs a job until it suspends, on the calling thread, as a thread of the global executor would.
void executor_run_job(void *job);
