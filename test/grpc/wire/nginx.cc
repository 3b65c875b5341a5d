#include "nginx.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fixture.h"

namespace recloser::testing {
namespace {

/// A worker does: from then on its master loses no signal. The socket alone is there before either.
bool Answers(const std::string& path) {
  const std::string hello = std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + std::string("\0\0\0\4\0\0\0\0\0", 9);  // empty SETTINGS
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  char answer = 0;
  const bool answers = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
                       send(fd, hello.data(), hello.size(), MSG_NOSIGNAL) > 0 && recv(fd, &answer, 1, 0) == 1;
  close(fd);
  return answers;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool Nginx::IsInstalled() { return access(RECLOSER_NGINX, X_OK) == 0; }

Nginx::Nginx(const std::string& server) {
  folder_ = (std::filesystem::temp_directory_path() / "recloser-nginx-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) std::abort();
  const std::string configuration = Configure(server);
  const std::string errors = folder_ + "/errors";
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent) execl(RECLOSER_NGINX, "nginx", "-c", configuration.c_str(), "-e", errors.c_str(), nullptr);
    _exit(127);
  }
  if (pid_ < 0 || !Eventually([this] { return Answers(socket()); })) {
    ADD_FAILURE() << "nginx does not answer: " << Read(errors);
    std::abort();
  }
}

Nginx::~Nginx() {
  kill(pid_, SIGTERM);
  EXPECT_TRUE(Eventually([this] { return waitpid(pid_, nullptr, WNOHANG) == pid_; })) << "nginx does not end";
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Nginx::Configure(const std::string& server) const {
  const std::string path = folder_ + "/nginx.conf";
  const std::string fresh = path + ".new";
  std::ofstream file(fresh);
  if (geteuid() == 0) file << "user root;\n";  // its workers must get into this folder
  file << "daemon off;\nworker_processes 1;\npid " << folder_ << "/pid;\nevents {}\nhttp {\n  access_log off;\n";
  for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
    file << "  " << kind << "_temp_path " << folder_ << '/' << kind << ";\n";
  }
  file << "  server {\n    listen unix:" << socket() << " http2;\n" << server << "\n  }\n}\n";
  file.close();
  std::filesystem::rename(fresh, path);
  return path;
}

void Nginx::Reload(const std::string& server) {
  Configure(server);
  kill(pid_, SIGHUP);
}

}  // namespace recloser::testing
