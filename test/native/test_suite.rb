# frozen_string_literal: true
# CRuby's own tests and specs: what passes on the base passes on the patched build.

require_relative "../helper"

class TestSuite < Minitest::Test
  def test_nothing_that_passed_fails
    # each build has a core
    base, patched = [Builds.base, Builds.patched].map { |w| Thread.new { Linesplit.suite(w) } }.map(&:value)
    assert_operator base.count { |_, result| result == "pass" }, :>, 3000
    assert_empty Linesplit.broken(base, patched)

    ours = Linesplit.added_tests("3.3")
    assert_operator ours.size, :>=, 10
    ours.each { |name| assert_equal "pass", patched[name], name }
  end
end
