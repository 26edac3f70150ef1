# frozen_string_literal: true
# CRuby's own tests under Wine.  What Wine makes fail fails on the base, too,
# and so no list of it is kept.

require_relative "helper"

class TestWindowsSuite < Minitest::Test
  # Runs the block for base and patched, one a core.
  def both
    [Windows.base, Windows.patched].map { |work| Thread.new { yield work } }.map(&:value)
  end

  def test_nothing_that_passed_fails
    base, patched = both { |work| Linesplit.suite(work) }
    assert_operator base.count { |_, result| result == "pass" }, :>, 1500
    assert_empty Linesplit.broken(base, patched)
    Linesplit.added_tests(Builds.base_version).each { |name| assert_equal "pass", patched[name], name }
  end
end
