# frozen_string_literal: true
# Gems from RubyGems in their precompiled form: native code that was linked
# against a stock Ruby loads and answers right in the patched one, and in the base.

require_relative "helper"

class TestGems < Minitest::Test
  GEMS = {
    "ffi" => ["1.17.4", %(require "ffi"
      module C; extend FFI::Library; ffi_lib "ucrtbase.dll"
        attach_function :strlen, [:string], :size_t
        callback :order, [:pointer, :pointer], :int
        attach_function :qsort, [:pointer, :size_t, :size_t, :order], :void
      end
      numbers = FFI::MemoryPointer.new(:int, 5).write_array_of_int([3, 1, 5, 2, 4])
      C.qsort(numbers, 5, 4, ->(a, b) { a.read_int <=> b.read_int })
      p C.strlen("a" * 1000), numbers.read_array_of_int(5), FFI::MemoryPointer.from_string("ab").read_string), "1000\n[1, 2, 3, 4, 5]\n\"ab\"\n"],
    "sqlite3" => ["2.10.2", %(require "sqlite3"
      db = SQLite3::Database.new(":memory:")
      db.execute("create table t (line text)")
      ("a".."e").each { |c| db.execute("insert into t values (?)", [c * 40 + "\n"]) }
      p db.execute("select instr(line, char(10)), length(line) from t where line like 'c%'"), db.get_first_value("select count(*) from t")), "[[41, 41]]\n5\n"],
    "nokogiri" => ["1.19.7", %(require "nokogiri"
      doc = Nokogiri::XML("<r>" + "<l>line\n</l>" * 50 + "</r>")
      p doc.xpath("//l").size, doc.at("l").text, Nokogiri::HTML5("<p>a<p>b").css("p").map(&:text)), "50\n\"line\\n\"\n[\"a\", \"b\"]\n"],
    "google-protobuf" => ["4.36.2", %(require "google/protobuf"; require "google/protobuf/well_known_types"
      s = Google::Protobuf::Struct.from_hash("line" => "a" * 100 + "\n", "list" => [1, 2.5, nil])
      back = Google::Protobuf::Struct.decode(Google::Protobuf::Struct.encode(s))
      p back == s, back["line"].index("\n"), back["list"].to_a, Google::Protobuf::IMPLEMENTATION), "true\n100\n[1.0, 2.5, nil]\n:NATIVE\n"],
  }.freeze

  # The unpacked gem, kept in the cache; its checksum is RubyGems' own business.
  def self.fetch(name, version)
    dir = File.join(Linesplit.cache_dir, "gems", "#{name}-#{version}-x64-mingw-ucrt")
    return dir if File.directory?(dir)

    FileUtils.mkdir_p(File.dirname(dir))
    Dir.mktmpdir("gem", File.dirname(dir)) do |tmp|
      Linesplit.capture!("gem", "fetch", name, "--version", version, "--platform", "x64-mingw-ucrt", chdir: tmp)
      Linesplit.capture!("gem", "unpack", *Dir.children(tmp), chdir: tmp)
      File.rename(File.join(tmp, File.basename(dir)), dir)
    end
    dir
  end

  # racc's pure Ruby, for nokogiri, is among the gems that come with the source.
  def load_path(work, gem)
    bundled = Dir.glob(File.join(work, "src/.bundle/gems/{racc,bigdecimal}-*/lib"))
    [File.join(gem, "lib"), *bundled].flat_map { |dir| ["-I", Linesplit.path_in_wine(dir)] }
  end

  GEMS.each do |name, (version, script, expected)|
    define_method("test_#{name}") do
      gem = self.class.fetch(name, version)
      [Windows.base, Windows.patched].each do |work|
        out, status = run_command(*Linesplit.wine(work, "-W0", *load_path(work, gem), "-e", script))
        assert_equal [expected, 0], [out.delete("\r"), status], "#{name} in #{work}"
      end
    end
  end
end
