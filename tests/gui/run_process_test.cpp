// What the editor says of a simulator that ends well, badly, or not by itself.
#include <signal.h>

#include <QFile>
#include <QTest>

#include "gui/run/run_session.h"
#include "gui/run/stream_line.h"
#include "models/base/version.h"
#include "tests/gui/support/await_run.h"
#include "tests/gui/support/gui_text.h"
#include "tests/support/temporary_folder.h"

using namespace rackwright;
using gui::RunSession;
using gui::RunStanding;

namespace {

struct Folder {
  QString path(const char* name) const { return QString::fromStdString((folder.path() / name).string()); }
  QString write(const char* name, const std::string& text) const {
    QFile file(path(name));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(text.data(), static_cast<qint64>(text.size()));
    return path(name);
  }
  test::TemporaryFolder folder;
};

QString simulator() { return QStringLiteral(RACKWRIGHT_BINARY_DIR "/bin/rackwright"); }

void await(const RunSession& session, RunStanding standing) {
  test::awaitRun(session, [&] { return session.standing() == standing; });
}

/// Starts the long run and waits until it is well under way.
void begin(RunSession& session, const Folder& folder) {
  session.start(simulator(), folder.write("s.yaml", test::longRunText), folder.path("out"));
  test::awaitRun(session, [&] { return session.live() && session.live()->requests > 5000 && session.process().progress(); });
  REQUIRE(session.standing() == RunStanding::running);
}

}  // namespace

TEST_CASE("A line of progress is read, and any other line is not taken for one") {
  const auto progress = gui::parseProgress(R"({"sim_time_s": 12.5, "requests_done": 64, "requests_total": 128, "fraction": 0.5, "elapsed_s": 0.2, "left_s": 0.2})");
  REQUIRE(progress);
  CHECK(progress->simTime_s == 12.5);
  CHECK(progress->requestsTotal == 128);
  CHECK(progress->fraction == 0.5);
  CHECK(progress->left_s == 0.2);
  CHECK_FALSE(gui::parseProgress("s.yaml:1:1: error: no"));
  CHECK_FALSE(gui::parseProgress("{\"sim_time_s\": "));
  CHECK_FALSE(gui::parseProgress("{}"));
}

TEST_CASE("A run that is started is followed, finishes and shows its folder") {
  const Folder folder;
  RunSession session;
  session.start(simulator(), folder.write("s.yaml", test::hallText), folder.path("out"));
  await(session, RunStanding::finished);
  REQUIRE(session.results());
  CHECK(session.folder() == folder.path("out"));
  CHECK(session.results()->requests->size() == static_cast<std::size_t>(session.results()->record.summary->requests.total));
  CHECK_FALSE(session.results()->plots.empty());
  CHECK(session.results()->hasReport);
  CHECK(session.detail().isEmpty());

  RunSession again;
  again.open(folder.path("out"));
  await(again, RunStanding::finished);
  CHECK(again.results()->record.run.scenario == "Review");
}

TEST_CASE("A scenario that is refused is told by its last error") {
  const Folder folder;
  RunSession session;
  session.start(simulator(), folder.write("s.yaml", "schema: rackwright/v1\nworklod: {}\n"), folder.path("out"));
  await(session, RunStanding::failed);
  CHECK(session.detail().contains(QStringLiteral("error:")));
  CHECK_FALSE(session.results());
}

TEST_CASE("A simulator that is not there is told so") {
  const Folder folder;
  RunSession session;
  session.start(QStringLiteral("/nowhere/rackwright"), folder.write("s.yaml", test::hallText), folder.path("out"));
  await(session, RunStanding::failed);
  CHECK(session.detail().contains(QStringLiteral("cannot be started")));
  RunSession none;
  none.start({}, folder.path("s.yaml"), folder.path("out"));
  CHECK(none.standing() == RunStanding::failed);
}

TEST_CASE("A run is paused, goes on and is cancelled with what it has") {
  const Folder folder;
  RunSession session;
  begin(session, folder);
  session.process().pause();
  CHECK(session.standing() == RunStanding::paused);
  QTest::qWait(400);
  const auto done = session.process().progress()->requestsDone;
  QTest::qWait(500);
  CHECK(session.process().progress()->requestsDone == done);
  session.process().resume();
  test::awaitRun(session, [&] { return session.process().progress()->requestsDone > done; });
  session.process().pause();
  session.process().cancel();  // Of a stopped process: it must hear it all the same.
  await(session, RunStanding::cancelled);
  REQUIRE(session.results());
  CHECK(session.results()->record.is_partial());
  CHECK(session.results()->requests->size() > 5000);
}

TEST_CASE("A simulator that is killed leaves the editor up, and what it had written can be read") {
  const Folder folder;
  RunSession session;
  begin(session, folder);
  REQUIRE(::kill(static_cast<pid_t>(session.process().processId()), SIGKILL) == 0);
  await(session, RunStanding::crashed);
  CHECK(session.headline() == QStringLiteral("Crashed"));
  CHECK(session.detail().contains(QStringLiteral("signal 9")));
  REQUIRE(session.results());
  CHECK_FALSE(session.results()->record.summary);
  CHECK_FALSE(session.results()->plots.empty());
}

TEST_CASE("A truncated stream opens as far as it goes and says that it is partial") {
  const Folder folder;
  QFile whole(QStringLiteral(RACKWRIGHT_SOURCE_DIR "/tests/data/runs/tiny/run.pb"));
  REQUIRE(whole.open(QIODevice::ReadOnly));
  const QByteArray bytes = whole.readAll();
  for (const double share : {0.95, 0.5}) {
    RunSession session;
    session.open(folder.write("run.pb", bytes.left(static_cast<qsizetype>(static_cast<double>(bytes.size()) * share)).toStdString()));
    await(session, RunStanding::partial);
    CHECK_FALSE(session.detail().isEmpty());
    CHECK(session.results());
  }
  RunSession garbage;
  garbage.open(folder.write("run.pb", "\xff\xff\xff\xff\xff\xff"));
  await(garbage, RunStanding::unreadable);
  RunSession empty;
  empty.open(folder.write("run.pb", ""));
  await(empty, RunStanding::unreadable);
  RunSession nowhere;
  nowhere.open(QStringLiteral("/nowhere"));
  await(nowhere, RunStanding::unreadable);
}

TEST_CASE("A run of another version opens and is told to be one; one of a newer format is refused with a reason") {
  const Folder folder;
  RunSession session;
  session.open(QStringLiteral(RACKWRIGHT_SOURCE_DIR "/tests/data/runs/tiny"));
  test::awaitRun(session, [&] { return session.results() != nullptr; });
  const std::string written = session.results()->record.run.version;
  INFO(written);
  CHECK(session.detail().contains(QStringLiteral("Written by Rackwright")) == (written != std::string(version())));
  // A header whose format is 9: field 1 of the record, of which field 1 is the format.
  RunSession newer;
  newer.open(folder.write("run.pb", std::string("\x04\x0a\x02\x08\x09", 5)));
  await(newer, RunStanding::unreadable);
  CHECK(newer.detail().contains(QStringLiteral("newer")));
}
