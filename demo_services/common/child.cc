#include "demo_services/common/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace recloser::demo {
namespace {

constexpr std::size_t kErrorTail = 2000;
constexpr int kExecFailed = 127;

struct Pipe {
  int read = -1;
  int write = -1;
};

bool MakePipes(std::array<Pipe, 3>* pipes) {
  for (Pipe& pipe : *pipes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    pipe = {ends[0], ends[1]};
  }
  return true;
}

void Close(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

void CloseAll(std::array<Pipe, 3>* pipes) {
  for (Pipe& pipe : *pipes) {
    Close(&pipe.read);
    Close(&pipe.write);
  }
}

// In the child, between fork and exec: system calls only, for other threads of the parent may have held any lock.
[[noreturn]] void BecomeChild(const std::array<Pipe, 3>& pipes, pid_t parent, char* const* arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExecFailed);  // it died before we asked
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  dup2(pipes[0].read, STDIN_FILENO);
  dup2(pipes[1].write, STDOUT_FILENO);
  dup2(pipes[2].write, STDERR_FILENO);
  execv(arguments[0], arguments);
  constexpr char kMessage[] = "the program can't be run\n";
  (void)!write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(kExecFailed);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Child>> Child::Start(std::string name, const std::vector<std::string>& arguments, OnLine on_line) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<Pipe, 3> pipes;
  if (!MakePipes(&pipes)) {
    CloseAll(&pipes);
    return absl::ErrnoToStatus(errno, absl::StrCat(name, ": no pipe"));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeChild(pipes, parent, argv.data());
  if (pid < 0) {
    CloseAll(&pipes);
    return absl::ErrnoToStatus(errno, absl::StrCat(name, ": no process"));
  }
  std::unique_ptr<Child> child(new Child(std::move(name), std::move(on_line)));
  child->pid_ = pid;
  child->in_ = std::exchange(pipes[0].write, -1);
  child->out_ = std::exchange(pipes[1].read, -1);
  child->err_ = std::exchange(pipes[2].read, -1);
  CloseAll(&pipes);
  fcntl(child->out_, F_SETFL, O_NONBLOCK);
  fcntl(child->err_, F_SETFL, O_NONBLOCK);
  return child;
}

Child::~Child() {
  Kill();
  Close(&in_);
  Close(&out_);
  Close(&err_);
}

void Child::Send(const std::string& line) {
  const std::string text = absl::StrCat(line, "\n");
  (void)!write(in_, text.data(), text.size());  // a child that is gone is noticed by Pump
}

void Child::Signal(int signal) {
  if (running()) kill(pid_, signal);
}

void Child::Kill() {
  if (!running()) return;
  kill(pid_, SIGKILL);
  while (!Reap(0) && errno == EINTR) {
  }
  ReadAll();
}

void Child::Pump() {
  if (running()) Reap(WNOHANG);
  ReadAll();
}

bool Child::Reap(int options) {
  int status = 0;
  rusage usage{};
  if (wait4(pid_, &status, options, &usage) != pid_) return false;
  wait_status_ = status;
  const auto time_of = [](const timeval& t) -> std::chrono::nanoseconds {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  cpu_time_ = time_of(usage.ru_utime) + time_of(usage.ru_stime);
  return true;
}

void Child::ReadAll() {
  char buffer[4096];
  ssize_t size = 0;
  while (out_ >= 0 && (size = read(out_, buffer, sizeof(buffer))) > 0) {
    unfinished_line_.append(buffer, static_cast<std::size_t>(size));
    for (std::size_t end = 0; (end = unfinished_line_.find('\n')) != std::string::npos;) {
      const std::string line = unfinished_line_.substr(0, end);
      unfinished_line_.erase(0, end + 1);
      on_line_(line);
    }
  }
  if (out_ >= 0 && size == 0) Close(&out_);
  while (err_ >= 0 && (size = read(err_, buffer, sizeof(buffer))) > 0) {
    error_tail_.append(buffer, static_cast<std::size_t>(size));
    if (error_tail_.size() > kErrorTail) error_tail_.erase(0, error_tail_.size() - kErrorTail);
  }
  if (err_ >= 0 && size == 0) Close(&err_);
}

std::string Child::HowItEnded() const {
  if (!wait_status_.has_value()) return "still running";
  const int status = *wait_status_;
  if (WIFSIGNALED(status)) return absl::StrCat("killed by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
  return absl::StrCat("exit status ", WEXITSTATUS(status));
}

absl::Status Child::EndedBadly(absl::string_view who) const {
  std::string message = absl::StrCat(who, " ended too early or badly: ", HowItEnded());
  if (!error_tail_.empty()) absl::StrAppend(&message, "; it said:\n", absl::StripTrailingAsciiWhitespace(error_tail_));
  return absl::UnavailableError(message);
}

void PumpUntil(const std::vector<Child*>& children, std::chrono::steady_clock::time_point time) {
  std::vector<pollfd> fds;
  for (const Child* child : children) {
    for (const int fd : {child->out_, child->err_}) {
      if (fd >= 0) fds.push_back({fd, POLLIN, 0});
    }
  }
  using std::chrono::milliseconds;
  const auto left = std::chrono::ceil<milliseconds>(time - std::chrono::steady_clock::now());
  poll(fds.data(), fds.size(), static_cast<int>(std::clamp(left, milliseconds(0), milliseconds(20)).count()));
  for (Child* child : children) child->Pump();
}

}  // namespace recloser::demo
