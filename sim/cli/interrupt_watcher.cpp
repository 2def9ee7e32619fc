#include "sim/cli/interrupt_watcher.h"

#include <pthread.h>

#include <csignal>

namespace rackwright::cli {
namespace {

// SIGUSR2 tells the thread to end; it is blocked everywhere else.
sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR2);
  return set;
}

}  // namespace

InterruptWatcher::InterruptWatcher() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread(&InterruptWatcher::watch, this);
}

InterruptWatcher::~InterruptWatcher() {
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  const sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void InterruptWatcher::watch() {
  const sigset_t set = watched();
  int signal = 0;
  sigwait(&set, &signal);
  if (signal == SIGUSR2) return;
  stop_.request_stop();
  // From here on another one ends the process: this thread takes it, with its default action.
  sigset_t deadly;
  sigemptyset(&deadly);
  sigaddset(&deadly, SIGINT);
  sigaddset(&deadly, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &deadly, nullptr);
  sigset_t done;
  sigemptyset(&done);
  sigaddset(&done, SIGUSR2);
  sigwait(&done, &signal);
}

}  // namespace rackwright::cli
