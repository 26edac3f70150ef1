# frozen_string_literal: true
# The patches carry what stands in win32/, benchmark/ and test/, and say so when
# they do not.

require_relative "../helper"

class TestRefresh < Minitest::Test
  def test_patches_are_up_to_date
    out, status = tool("refresh", "--check", "--base", Builds.base_version)
    assert_equal 0, status, out
  end

  # In a copy of the project, one source at a time is changed.
  CHANGES = {
    "win32/memchr.c" => ["n == 0", "0 == n", "0001"],
    "benchmark/io_gets.yml" => ["16384", "16385", "0002"],
    "test/ruby/test_string.rb" => ["(0..70).each", "(0..71).each", "0001"],
    "test/ruby/test_io.rb" => ["  def test_gets_one_byte_rs\n", "  def test_new\n  end\n\n  def test_gets_one_byte_rs\n", "0001"],
    "test/ruby/test_io.rb, a method less" => [/^\n  def test_gets_one_byte_rs\n.*?^  end\n/m, "", "0001"],
    "test/ruby/test_io.rb, a new name" => ["def test_gets_one_byte_rs\n", "def test_gets_byte\n", "0001"],
  }.freeze

  CHANGES.each do |what, (from, to, patch)|
    define_method("test_drift_of_#{what.gsub(/\W+/, "_")}") do
      file = what[/[^,]+/]
      Dir.mktmpdir do |dir|
        copy = File.join(dir, "a copy")
        FileUtils.mkdir(copy)
        FileUtils.cp_r(Dir.glob(File.join(Linesplit::ROOT, "{patches,win32,benchmark,test,tool}")), copy)
        text = File.read(File.join(copy, file))
        assert_match from, text
        File.write(File.join(copy, file), text.sub(from) { to })
        refresh = File.join(copy, "tool/refresh")
        env = { "LINESPLIT_BUILD" => Linesplit.build_dir }
        out, status = run_command(env, refresh, "--check", "--base", Builds.base_version)
        assert_equal 1, status, out
        assert_match(/^stale: patches\/#{patch}/, out)
        out, status = run_command(env, refresh, "--base", Builds.base_version)
        assert_equal 0, status, out
        assert_match(/^refreshed: patches\/#{patch}/, out)
        in_patches = File.readlines(File.join(copy, "patches", Linesplit.patches.find { |p| p.file.start_with?(patch) }.file))
        carried = File.read(File.join(copy, file)).scan(/^ +def (\w+)/).flatten
        assert_empty in_patches.join.scan(/^\+ +def (\w+)/).flatten & text.scan(/^ +def (\w+)/).flatten - carried
        assert_equal 0, run_command(env, refresh, "--check", "--base", Builds.base_version)[1]
      end
    end
  end
end
