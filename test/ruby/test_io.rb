# frozen_string_literal: false
# What the series adds to CRuby's test/ruby/test_io.rb, where it runs.
require 'test/unit'
require 'tempfile'

class TestIO < Test::Unit::TestCase
  def test_gets_every_line_length
    # from the empty line to one that spans several read buffers
    lengths = [*0..70, 1023, 1024, 8190, 8191, 8192, 8193, 20_000]
    lines = lengths.map {|n| "a" * n + "\n"}
    Tempfile.create("gets", binmode: true) do |file|
      file.write(lines.join, "last")
      file.flush
      File.open(file.path, "rb") do |f|
        assert_equal(lines, lines.map {f.gets})
        assert_equal(["last", nil], [f.gets, f.gets])
        f.rewind
        assert_equal(lines + ["last"], f.each_line.to_a)
        f.rewind
        assert_equal(lines.map(&:chomp) + ["last"], f.each_line(chomp: true).to_a)
        f.rewind
        lines.each do |line|
          assert_equal(line[0, 100], f.gets(100))
          assert_equal(line[100..], f.gets) if line.size > 100
        end
      end
    end
  end

  def test_gets_one_byte_rs
    ["\0", "\x7f", "\x80", "\xff"].map(&:b).each do |rs|
      fields = (0..40).map {|n| "a" * n + rs}
      Tempfile.create("gets", binmode: true) do |file|
        file.write(fields.join)
        file.flush
        File.open(file.path, "rb") {|f| assert_equal(fields, f.each_line(rs).to_a)}
      end
    end
  end
end
