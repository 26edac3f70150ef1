# frozen_string_literal: true
# What of the series a tree has, and what putting the rest on it gives.  All of
# it happens on copies of the few files that the patches touch.

require_relative "linesplit"

module Linesplit
  module_function

  def touched(patches)
    patches.flat_map { |p| File.read(p.path).scan(%r{^diff --git a/(\S+) b/}).flatten }.uniq
  end

  # Copies what the patches touch from DIR (from its HEAD, for a git checkout)
  # into the directory scratch.
  def copy_touched(dir, scratch, git:)
    raise Error, "#{dir} is a git checkout without a commit; commit the tree first" if git && !capture("git", "-C", dir, "rev-parse", "-q", "--verify", "HEAD")

    touched(patches).each do |file|
      to = File.join(scratch, file)
      if git
        out, status = Open3.capture2("git", "-C", dir, "show", "HEAD:#{file}", err: File::NULL, binmode: true)
        next unless status.success?
        FileUtils.mkdir_p(File.dirname(to))
        File.binwrite(to, out)
      elsif File.file?(File.join(dir, file))
        FileUtils.mkdir_p(File.dirname(to))
        FileUtils.cp(File.join(dir, file), to)
      end
    end
  end

  # git apply outside of any repository: no fuzz, and nothing is written where
  # a hunk does not fit.  Returns nil, or what did not fit.
  def apply_in(scratch, patch, *options)
    env = { "GIT_CEILING_DIRECTORIES" => File.dirname(File.realpath(scratch)), "LC_ALL" => "C" }
    cmd = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", *options]
    out, status = Open3.capture2e(env, *cmd, patch.path, chdir: scratch)
    return if status.success?

    # a second time on a copy, to have the number of the hunk
    Dir.mktmpdir do |copy|
      FileUtils.cp_r("#{scratch}/.", copy)
      env["GIT_CEILING_DIRECTORIES"] = File.dirname(File.realpath(copy))
      verbose, = Open3.capture2e(env, *cmd, "--reject", "--verbose", patch.path, chdir: copy)
      file = nil
      hunks = verbose.lines.filter_map do |line|
        file = $1 if line =~ /^Applying patch (\S+?)(?:\.\.\.| with)/
        "#{file} hunk #{$1}" if line =~ /^Rejected hunk #(\d+)/
      end
      hunks.empty? ? out.lines.grep(/^error/).map { |l| l.delete_prefix("error: ").strip }.join("; ") : hunks.join(", ")
    end
  end

  Plan = Struct.new(:base, :applied, :todo, :scratch)

  # The base of DIR by content, and what DIR has of the series; leaves in SCRATCH
  # the touched files without it.
  def applied_to(dir, scratch)
    _, base = identify(dir)
    copy_touched(dir, scratch, git: git_checkout?(dir))
    applied = patches.reverse.select { |p| apply_in(scratch, p, "-R").nil? }.reverse
    [series_base(scratch, base), applied]
  end

  # Finds out what DIR has and leaves in SCRATCH the touched files as they will
  # be: with the series and the optional patches WITH on them, or, with
  # reverse: true, without any patch of ours.
  def plan(dir, scratch, with: [], reverse: false)
    raise Error, "git is not installed; tool/setup installs it" unless capture("git", "--version")

    base, applied = applied_to(dir, scratch)
    return Plan.new(base, applied, [], scratch) if reverse

    FileUtils.rm_rf(Dir.children(scratch).map { |f| File.join(scratch, f) })
    copy_touched(dir, scratch, git: git_checkout?(dir))
    todo = series(base, with: with) - applied
    todo.each do |patch|
      misfit = apply_in(scratch, patch) or next
      crlf = touched([patch]).select { |f| File.file?(path = File.join(scratch, f)) && File.foreach(path, mode: "rb").first&.end_with?("\r\n") }
      misfit += "; #{crlf.join(", ")}: lines end in CR LF, as they do not in CRuby's" unless crlf.empty?
      raise Error, "#{patch.file} does not apply to #{dir}: #{misfit}. Nothing was changed."
    end
    Plan.new(base, applied, todo, scratch)
  end

  # The base by content: since CRuby's own change of August 2026 str_subseq
  # sizes its copy; a 4.1 checkout from before it is, for the series, a 4.0.
  def series_base(tree, base)
    return base unless %w[4.0 4.1].include?(base)

    text = File.read(File.join(tree, "string.c"), encoding: "BINARY")
    body = text[/^str_subseq\(.*?^}/m] || ""
    # our own change, in a state that was not recognised, is not CRuby's
    ours = body.include?("FL_ANY_RAW(str, FL_FREEZE | STR_SHARED)")
    body.include?("str_alloc_embed") && !ours ? "4.1" : "4.0"
  end
end
