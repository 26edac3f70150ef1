# frozen_string_literal: true
# On Linux the series changes one object, and on 4.1 none.

require_relative "../helper"

class TestObjects < Minitest::Test
  def test_string_alone_is_changed
    objects = Dir.glob("*.o", base: File.join(Builds.patched, "obj"))
    assert_operator objects.size, :>, 80
    changed = objects.reject do |object|
      FileUtils.identical?(*[Builds.base, Builds.patched].map { |work| File.join(work, "obj", object) })
    end
    assert_equal Builds.base_version == "4.1" ? [] : ["string.o"], changed - %w[version.o]
  end
end
