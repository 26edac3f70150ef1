# frozen_string_literal: true
# Every case in cases.md answers as written there, on base and patched build.

require_relative "../helper"

class TestCases < Minitest::Test
  CASES = File.read(File.join(__dir__, "cases.md"))
              .scan(/^### (R\d+)\. .*?\n```ruby\n(.*?)\n```\n\nExpected:\n\n```text\n(.*?)\n```/m)

  CASES.each do |id, code, expected|
    %i[base patched].each do |build|
      define_method("test_#{id}_#{build}") do
        out, status = Builds.run(Builds.public_send(build), "-e", code)
        assert_equal [expected.strip, 0], [out.strip, status]
      end
    end
  end

  def test_there_are_cases
    assert_operator CASES.size, :>=, 18
  end

  # nothing names an encoding in a bare root
  def test_no_locale
    out, status = run_command({ "LC_ALL" => "C" }, RbConfig.ruby, __FILE__, "-n", "test_there_are_cases")
    assert_equal 0, status, out
  end
end
