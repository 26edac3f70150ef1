# frozen_string_literal: true
# Set-up for the project's own tests; each file runs by itself, too.

require "minitest/autorun"
require_relative "../tool/lib/compare"
require_relative "../tool/lib/series"

# Runs a command and returns [its output, its exit status].
def run_command(*cmd, **opts)
  out, status = Open3.capture2e(*cmd, **opts)
  [out.scrub, status.exitstatus]
end

def tool(name, *args, **opts)
  run_command(File.join(Linesplit::ROOT, "tool", name), *args, **opts)
end

# Puts into DIR the files of a source tree that tools look at: those that the
# patches touch and those that tell the version.
def small_tree(source, dir)
  (Linesplit.touched(Linesplit.patches) + %w[version.h include/ruby/version.h]).each do |f|
    next unless File.file?(File.join(source, f))
    FileUtils.mkdir_p(File.dirname(File.join(dir, f)))
    FileUtils.cp(File.join(source, f), File.join(dir, f))
  end
end

# The base build and the patched one that the tests look at; LINESPLIT_BASE
# (3.3 or 3.4) names the base.
module Builds
  module_function

  def base_version
    ENV["LINESPLIT_BASE"] || "3.3"
  end

  def base
    @base ||= Linesplit.work(Linesplit.base_source(base: base_version)).tap { |w| Linesplit.build(w) }
  end

  def patched
    @patched ||= Linesplit.work(Linesplit.patched_source(Linesplit.base_source(base: base_version))).tap { |w| Linesplit.build(w) }
  end

  def run(work, *args, **opts)
    run_command(Linesplit.ruby_env(work), Linesplit.ruby(work), "--disable=gems", "-W0", *args, **opts)
  end
end

# git in @tree, by somebody who has no settings of their own.
module GitTree
  SOMEBODY = { "GIT_AUTHOR_NAME" => "A", "GIT_AUTHOR_EMAIL" => "a@example.org",
               "GIT_COMMITTER_NAME" => "A", "GIT_COMMITTER_EMAIL" => "a@example.org" }.freeze

  def git(*args)
    Linesplit.capture!(SOMEBODY, "git", "-C", @tree, *args)
  end
end

# CRuby's tests and specs: what passes on the base passes on the patched build,
# and those that the series adds pass.
module SuiteAssertions
  def assert_suite(base, patched, at_least:)
    assert_empty Linesplit.regressions(base, patched)
    assert_operator Linesplit.suite(base).count { |_, result| result == "pass" }, :>, at_least

    ours = Linesplit.added_tests(Builds.base_version)
    assert_operator ours.size, :>=, 10
    assert_equal ours.to_h { |name| [name, "pass"] }, Linesplit.suite(patched).slice(*ours)
  end
end
