#include <string>

#include "tests/support/catch.h"
#include "traces/rows/csv_line.h"
#include "traces/rows/csv_rows.h"
#include "traces/rows/hash_list.h"
#include "traces/rows/json_rows.h"
#include "traces/rows/json_splitter.h"
#include "traces/rows/python_literal.h"
#include "traces/text/utf8.h"

using namespace rackwright::traces;

namespace {

std::vector<std::string> split(std::string_view record, char delimiter = ',') {
  std::vector<std::string_view> cells;
  std::string scratch;
  if (!split_csv(record, delimiter, cells, scratch)) return {"open"};
  return {cells.begin(), cells.end()};
}

std::vector<std::string> objects(std::string_view json, std::string row_key, std::string* problem = nullptr) {
  TextBuffer text(open_memory(json));
  JsonSplitter splitter(text, std::move(row_key));
  std::vector<std::string> found;
  std::string_view row;
  std::uint64_t line = 0;
  while (splitter.next(row, line)) found.push_back(std::to_string(line) + ":" + std::string(row));
  if (problem) *problem = splitter.problem();
  return found;
}

/// The lines of a text, each read through a buffer that is given one byte at a time.
class Dribble final : public ByteSource {
 public:
  explicit Dribble(std::string_view text) : left_(text) {}
  std::size_t read(std::span<char> room) override {
    if (left_.empty() || room.empty()) return 0;
    room[0] = left_[0];
    left_.remove_prefix(1);
    return 1;
  }

 private:
  std::string_view left_;
};

std::vector<std::string> lines_of(std::string_view text, LineMarks& marks) {
  TextBuffer buffer(std::make_unique<Dribble>(text));
  LineReader reader(buffer);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  marks = reader.marks();
  return lines;
}

}  // namespace

TEST_CASE("Lines end with LF or CRLF, and the last one needs no end") {
  LineMarks marks;
  CHECK(lines_of("a\r\nb\n\nc", marks) == std::vector<std::string>{"a", "b", "", "c"});
  CHECK(marks.crlf);
  CHECK_FALSE(marks.final_newline);
  CHECK_FALSE(marks.byte_order_mark);
  CHECK(lines_of("\xef\xbb\xbf" "a\nb\n", marks) == std::vector<std::string>{"a", "b"});
  CHECK(marks.byte_order_mark);
  CHECK(marks.final_newline);
  CHECK_FALSE(marks.crlf);
  CHECK(lines_of("", marks).empty());
  CHECK(lines_of("a\r", marks) == std::vector<std::string>{"a"});
}

TEST_CASE("A CSV record splits at delimiters outside quotes") {
  CHECK(split("1,2,3") == std::vector<std::string>{"1", "2", "3"});
  CHECK(split(" 1 ,, 3 ") == std::vector<std::string>{"1", "", "3"});
  CHECK(split("") == std::vector<std::string>{""});
  CHECK(split("\"a,b\",c") == std::vector<std::string>{"a,b", "c"});
  CHECK(split("\"say \"\"hi\"\"\",\"\",x") == std::vector<std::string>{"say \"hi\"", "", "x"});
  CHECK(split("a;b;\"c;d\"", ';') == std::vector<std::string>{"a", "b", "c;d"});
  CHECK(split("\"two\nlines\",1") == std::vector<std::string>{"two\nlines", "1"});
  CHECK(split("5 \" disk,1") == std::vector<std::string>{"5 \" disk", "1"});
  CHECK(split("\"open,1") == std::vector<std::string>{"open"});
  CHECK(csv_delimiter("a;b,c;d") == ';');
  CHECK(csv_delimiter("a\tb") == '\t');
  CHECK(csv_delimiter("single") == ',');
}

TEST_CASE("A quote that stays open spoils one line, not the rest of the file") {
  ColumnMapping mapping;
  mapping[Field::arrival] = {"t"};
  CsvRows rows(open_memory("t,x\n1,\"two\nlines\"\n2,\"open\n3,y\n"), mapping);
  RawRow row;
  REQUIRE(rows.next(row));
  CHECK(row[Field::arrival].text == "1");
  REQUIRE(rows.next(row));
  CHECK(row.line == 4);
  CHECK(row.problem == "a quote is never closed");
  REQUIRE(rows.next(row));
  CHECK(row[Field::arrival].text == "3");
  CHECK_FALSE(rows.next(row));
}

TEST_CASE("A JSON text of any shape gives its row objects") {
  using Strings = std::vector<std::string>;
  CHECK(objects(R"([{"a":1}, {"b":[{"c":2}]}])", "") == Strings{R"(1:{"a":1})", R"(1:{"b":[{"c":2}]})"});
  CHECK(objects("{\"a\":1}\n{\n\"b\":2}\n", "") == Strings{R"(1:{"a":1})", "2:{\n\"b\":2}"});
  CHECK(objects(R"({"meta":[{"x":0}],"data":[{"a":"]}\"{"}],"n":3})", "data") == Strings{R"(1:{"a":"]}\"{"})"});
  // OTLP: spans at any depth, in several resources.
  CHECK(objects(R"({"r":[{"s":[{"spans":[{"i":1},{"i":2}]}]},{"s":[{"spans":[{"i":3}]}]}]})", "spans").size() == 3);
  // A text with the key's name is no key.
  CHECK(objects(R"({"note":"data","other":[{"a":1}]})", "data").empty());
  CHECK(objects("[]", "").empty());
}

TEST_CASE("A JSON text that breaks off or does not nest is a problem with its line") {
  std::string problem;
  CHECK(objects("[{\"a\":1},\n{\"b\":", "", &problem).size() == 1);
  CHECK(problem == "line 2: the file ends inside an object");
  objects("[{\"a\":1}", "", &problem);
  CHECK(problem == "line 1: the file ends inside a list or object");
  objects("[1,2}", "", &problem);
  CHECK(problem == "line 1: '}' closes nothing");
  objects(std::string(100, '['), "", &problem);
  CHECK(problem == "line 1: brackets are nested too deeply");
  objects(R"(["open)", "", &problem);
  CHECK(problem == "line 1: a string is never closed");
}

TEST_CASE("A path leads through objects, dotted keys, attribute lists, JSON texts and Python dicts") {
  ColumnMapping mapping;
  mapping[Field::input_tokens] = {"usage.prompt_tokens"};
  const auto read = [&](std::string_view line) {
    auto rows = json_lines(open_memory(line), mapping);
    RawRow row;
    REQUIRE(rows->next(row));
    CHECK(row.problem.empty());
    return std::string(row[Field::input_tokens].text);
  };
  CHECK(read(R"({"usage":{"prompt_tokens":7}})") == "7");
  CHECK(read(R"({"usage.prompt_tokens":7.5})") == "7.5");
  CHECK(read(R"({"usage":[{"key":"x"},{"key":"prompt_tokens","value":{"intValue":"7"}}]})") == "7");
  CHECK(read(R"({"usage":[{"key":"prompt_tokens","value":{"intValue":7}}]})") == "7");
  CHECK(read(R"({"usage":"{\"prompt_tokens\": 7}"})") == "7");
  CHECK(read(R"({"usage":"{'prompt_tokens': 7, 'details': None}"})") == "7");
  CHECK(read(R"({"usage":null})").empty());
  CHECK(read(R"({"usage":"none"})").empty());
  CHECK(read(R"({"usage":{"prompt_tokens":18446744073709551615}})") == "18446744073709551615");
}

TEST_CASE("Of several columns the first that the row fills counts, whatever their order in the row") {
  ColumnMapping mapping;
  mapping[Field::model] = {"model_group", "model"};
  auto rows = json_lines(open_memory("{\"model\":\"m\",\"model_group\":\"g\"}\n{\"model\":\"m\",\"model_group\":\"\"}\n"), mapping);
  RawRow row;
  REQUIRE(rows->next(row));
  CHECK(row[Field::model].text == "g");
  REQUIRE(rows->next(row));
  CHECK(row[Field::model].text == "m");
}

TEST_CASE("Hashes are integers as they stand, or the hashes of their texts") {
  std::vector<std::uint64_t> hashes;
  append_block_hashes("[1, 2, 18446744073709551615]", hashes);
  append_block_hashes("4;5 6", hashes);
  CHECK(hashes == std::vector<std::uint64_t>{1, 2, 18'446'744'073'709'551'615u, 4, 5, 6});
  CHECK(block_hash("-1") == 18'446'744'073'709'551'615u);
  CHECK(block_hash("a1") == block_hash("a1"));
  CHECK(block_hash("a1") != block_hash("a2"));
}

TEST_CASE("A Python literal becomes JSON") {
  CHECK(json_from_python("{45: 0.0096, 46: 1e-3}") == R"({"45": 0.0096, "46": 1e-3})");
  CHECK(json_from_python("{'a': None, 'b': [True, False]}") == R"({"a": null, "b": [true, false]})");
  CHECK(json_from_python(R"({"it's": 'a "b"'})") == R"({"it's": "a \"b\""})");
  CHECK(json_from_python("{'don\\'t': 1}") == R"({"don't": 1})");
  CHECK(json_from_python("{'open") == R"({"open")");
}

TEST_CASE("Bytes that are no UTF-8 become the replacement character, others stay") {
  CHECK(is_utf8("gpt-4 \xc3\xa9 \xf0\x9f\x98\x80"));
  for (const std::string_view bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    CHECK_FALSE(is_utf8(bad));
    CHECK(is_utf8(repair_utf8(bad)));
  }
  CHECK(repair_utf8("a\xff" "b\xc3\xa9") == "a\xef\xbf\xbd" "b\xc3\xa9");
}
