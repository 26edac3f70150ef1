# frozen_string_literal: false
# What the series adds to CRuby's test/-ext-/test_printf.rb; runs on a build
# that has -test-/printf.
require 'test/unit'
require "-test-/printf"

class Test_SPrintf < Test::Unit::TestCase
  def test_string_prec_beyond_end
    # memchr gets a size beyond the end of the string; the last is the largest
    # Fixnum where a long has 32 bits
    [2, 16, 17, 64, 1000, 4096, 2**20, 2**30 - 1].each do |prec|
      assert_equal("a", Bug::Printf.("s", "a", prec: prec)[0])
      assert_equal("a" * [prec, 30].min, Bug::Printf.("s", "a" * 30, prec: prec)[0])
    end
  end
end
