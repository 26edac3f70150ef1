# frozen_string_literal: true
# CRuby's own tests and specs on this machine.

require_relative "../helper"

class TestSuite < Minitest::Test
  include SuiteAssertions

  def test_nothing_that_passed_fails
    assert_suite(Builds.base, Builds.patched, at_least: 3000)
  end
end
