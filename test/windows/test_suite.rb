# frozen_string_literal: true
# CRuby's own tests under Wine.  What Wine makes fail fails on the base, too,
# and so no list of it is kept.

require_relative "helper"

class TestWindowsSuite < Minitest::Test
  def test_nothing_that_passed_fails
    assert_empty Linesplit.regressions(Windows.base, Windows.patched)
    assert_operator Linesplit.suite(Windows.base).count { |_, result| result == "pass" }, :>, 1500

    ours = Linesplit.added_tests(Builds.base_version)
    assert_equal ours.to_h { |name| [name, "pass"] }, Linesplit.suite(Windows.patched).slice(*ours)
  end

  def test_bootstraptest
    assert_empty Linesplit.bootstraptest_regressions(Windows.base, Windows.patched)
  end
end
