# frozen_string_literal: true
# CRuby's own tests and specs: what passes on the base passes on the patched build.

require_relative "../helper"

class TestSuite < Minitest::Test
  def test_nothing_that_passed_fails
    assert_empty Linesplit.regressions(Builds.base, Builds.patched)
    assert_operator Linesplit.suite(Builds.base).count { |_, result| result == "pass" }, :>, 3000

    ours = Linesplit.added_tests(Builds.base_version)
    assert_operator ours.size, :>=, 10
    assert_equal ours.to_h { |name| [name, "pass"] }, Linesplit.suite(Builds.patched).slice(*ours)
  end
end
