// The runtime's own hooks, by which a process may decide itself when and where jobs of Swift's concurrency run.
#pragma once

/// Hands every job that is ready for any thread to `take` from now on, instead of to the runtime's threads. Jobs of the main thread and
/// sleepers by the machine's clocks stay where they are. Returns 0, or -1 when the runtime has no such hook.
int executor_take_jobs(void (*take)(void *job));

/// The same for the jobs of the main thread, too; and whoever sleeps by the machine's clocks aborts the process.
int executor_take_all_jobs(void (*take)(void *job));

/// Runs a job until it suspends, on the calling thread, as a thread of the global executor would.
void executor_run_job(void *job);
