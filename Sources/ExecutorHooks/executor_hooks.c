#include "executor_hooks.h"

#include <stddef.h>
#include <stdlib.h>

#define SWIFT_CC __attribute__((swiftcall))

// https://github.com/swiftlang/swift/blob/main/include/swift/Runtime/Concurrency.h
extern SWIFT_CC void swift_job_run(void *job, void *executor, void *witness);

// Weak: a runtime without them can still be linked, whether shared or static.
extern void *swift_task_enqueueGlobal_hook __attribute__((weak));
extern void *swift_task_enqueueMainExecutor_hook __attribute__((weak));
extern void *swift_task_enqueueGlobalWithDelay_hook __attribute__((weak));
extern void *swift_task_enqueueGlobalWithDeadline_hook __attribute__((weak));

static void (*take_job)(void *job);

static SWIFT_CC void on_ready(void *job, void *original) {
  (void)original;
  take_job(job);
}

// Nothing sleeps by the machine's clocks here: whoever tries has found a way around the injected one.
static SWIFT_CC void on_delay(void) { abort(); }

static int set_hook(void **hook, void *function) {
  if (hook == NULL) return -1;
  *hook = function;
  return 0;
}

int executor_take_jobs(void (*take)(void *job)) {
  take_job = take;
  return set_hook(&swift_task_enqueueGlobal_hook, (void *)on_ready);
}

int executor_take_all_jobs(void (*take)(void *job)) {
  if (executor_take_jobs(take) != 0) return -1;
  if (set_hook(&swift_task_enqueueMainExecutor_hook, (void *)on_ready) != 0) return -1;
  if (set_hook(&swift_task_enqueueGlobalWithDelay_hook, (void *)on_delay) != 0) return -1;
  return set_hook(&swift_task_enqueueGlobalWithDeadline_hook, (void *)on_delay);
}

void executor_run_job(void *job) { swift_job_run(job, NULL, NULL); }
