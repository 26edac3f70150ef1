# frozen_string_literal: true
# benchmark/lines.rb, the table of Feature #22463, on builds of one target.

require_relative "compare"

module Linesplit
  module_function

  # Runs it on { name => build }, of which BASE and PATCHED are two, and returns
  # what it printed; all rounds are in FILE.
  def lines(works, base, patched, file:, quick: false, rounds: nil)
    commands = works.map { |name, work| "#{name}=#{lines_command(work)}" }
    options = [*("--quick" if quick), *(["--rounds", rounds.to_s] if rounds)]
    log = File.join(patched, "log/lines.log")
    step("benchmark/lines.rb, #{works.size} builds", RbConfig.ruby, File.join(ROOT, "benchmark/lines.rb"), *options, "--json", file, *commands,
         log: log, env: { "LINESPLIT_BUILD" => build_dir })
    File.write(file, JSON.pretty_generate(JSON.parse(File.read(file)).merge(provenance(base, patched), "target" => target_of(base))))
    File.read(log)
  end

  def lines_command(work)
    return [File.join(ROOT, "tool/wine"), work, "--disable=gems"].shelljoin unless target_of(work) == "host"

    command(work)
  end
end
