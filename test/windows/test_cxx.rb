# frozen_string_literal: true
# Extensions in C++ (case W01): the macro must be invisible to them, whichever
# of the C++ headers and ruby.h comes first.

require_relative "helper"

class TestCxx < Minitest::Test
  HEADERS = "#include <cstring>\n#include <string>\n#include <algorithm>\n"
  RUBY_H = "#include <ruby.h>\n"

  BODY = <<~'CXX'
    struct Haystack {
        std::string bytes;
        const void *memchr(int c) const { return std::memchr(bytes.data(), c, bytes.size()); }
    };

    static VALUE
    probe(VALUE, VALUE string, VALUE byte)
    {
        const int c = NUM2INT(byte);
        Haystack hay = {std::string(RSTRING_PTR(string), RSTRING_LEN(string))};
        void *(*function)(const void *, int, size_t) = std::memchr;
        const char *start = hay.bytes.data();
        const char *member = static_cast<const char *>(hay.memchr(c));
        const char *qualified = static_cast<const char *>(std::memchr(start, c, hay.bytes.size()));
        const char *global = static_cast<const char *>(::memchr(start, c, hay.bytes.size()));
        const char *pointer = static_cast<const char *>(function(start, c, hay.bytes.size()));
        const size_t found = hay.bytes.find(static_cast<char>(c));
        const size_t by_algorithm = std::find(hay.bytes.begin(), hay.bytes.end(), static_cast<char>(c)) - hay.bytes.begin();
        if (member != qualified || member != global || member != pointer) rb_raise(rb_eRuntimeError, "they differ");
        if (!member) return found == std::string::npos && by_algorithm == hay.bytes.size() ? Qnil : Qfalse;
        if (found != static_cast<size_t>(member - start) || found != by_algorithm) return Qfalse;
        return SIZET2NUM(found);
    }

    extern "C" __declspec(dllexport) void
    Init_NAME(void)
    {
        rb_define_global_function("probe", probe, 2);
    }
  CXX

  SCRIPT = <<~'RUBY'
    require ARGV[0]
    answers = (0..70).map { |n| probe("a" * n + "\xff".b + "b" * 9, 255) }
    p answers == (0..70).to_a, probe("abc", 0), probe("abc\0", 0), probe("", 10)
  RUBY

  # Compiled against one build, it loads in both.
  def check(name, source, standard)
    [Windows.base, Windows.patched].each do |work|
      Windows.tmpdir do |dir|
        file = File.join(dir, "#{name}.cc")
        File.write(file, source.gsub("NAME", name))
        Windows.compile("g++", "-std=#{standard}", "-O2", "-Wall", "-Werror=cpp", "-shared", "-static-libgcc", "-static-libstdc++",
                        *Windows.include_flags(work), "-o", File.join(dir, "#{name}.so"), file, Windows.import_library(work))
        [Windows.base, Windows.patched].each do |host|
          out, status = Windows.ruby(host, "-e", SCRIPT, Linesplit.path_in_wine(File.join(dir, "#{name}.so")))
          assert_equal ["true\nnil\n3\nnil\n", 0], [out.delete("\r"), status], "#{name} of #{work} in #{host}"
        end
      end
    end
  end

  def test_headers_before_ruby_h
    check("before", HEADERS + RUBY_H + BODY, "c++11")
  end

  def test_headers_after_ruby_h
    check("after", RUBY_H + HEADERS + BODY, "c++20")
  end

  # One that is linked into ruby.exe is compiled as the core is.
  def test_extension_for_ext_setup
    Windows.tmpdir do |dir|
      [HEADERS + RUBY_H, RUBY_H + HEADERS].each do |head|
        file = File.join(dir, "static.cc")
        File.write(file, (head + BODY).gsub("NAME", "static"))
        Windows.compile("g++", "-std=c++17", "-DRUBY_EXPORT", *Windows.include_flags(Windows.patched), "-c", "-o", File.join(dir, "static.o"), file)
        assert File.size?(File.join(dir, "static.o"))
      end
    end
  end
end
