# frozen_string_literal: true
# tool/profile: what a line costs, by function.

require_relative "../helper"

class TestProfile < Minitest::Test
  def profile(*args)
    Builds.patched
    out, status = tool("profile", "--base", Builds.base_version, *args)
    assert_equal 0, status, out
    lines = out.scan(/^ *([\d.]+) +([\d.]+) %  (\S+)$/).to_h { |count, _, name| [name, count.to_f] }
    assert_operator lines.values.sum, :<=, out[/(\d+) instructions a line/, 1].to_f
    lines
  end

  # A line that is twice as long costs its memchr twice, and nothing else more.
  def test_length_is_for_memchr
    short, long = [1024, 2048].map { |n| profile("--bytes", n.to_s) }
    memchr = short.keys.grep(/memchr/).fetch(0)
    assert_in_delta 1.9, long[memchr] / short[memchr], 0.3
    assert_in_delta short["rb_strseq_index"], long["rb_strseq_index"], 2
  end

  def test_wrong_arguments
    out, status = tool("profile", "nonsense")
    assert_equal 1, status
    assert_match(/nonsense is neither a directory nor one of index, each_line, split/, out)
  end
end
