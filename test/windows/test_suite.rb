# frozen_string_literal: true
# CRuby's own tests under Wine.  What Wine makes fail fails on the base, too,
# and so no list of it is kept.

require_relative "helper"

class TestWindowsSuite < Minitest::Test
  include SuiteAssertions

  def test_nothing_that_passed_fails
    assert_suite(Windows.base, Windows.patched, at_least: 1500)
  end

  def test_bootstraptest
    assert_empty Linesplit.bootstraptest_regressions(Windows.base, Windows.patched)
  end
end
