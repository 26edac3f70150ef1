# frozen_string_literal: true
# benchmark/lines.rb, the table of Feature #22463, on builds of one target.

require_relative "compare"

module Linesplit
  module_function

  # Runs it on { name => build } and returns what it printed; all rounds are in FILE.
  def lines(works, file:, quick: false, rounds: nil)
    commands = works.map { |name, work| "#{name}=#{lines_command(work)}" }
    options = [*("--quick" if quick), *(["--rounds", rounds.to_s] if rounds)]
    env = { "LINESPLIT_BUILD" => build_dir }
    capture!(env, RbConfig.ruby, File.join(ROOT, "benchmark/lines.rb"), *options, "--json", file, *commands)
  end

  def lines_command(work)
    return [File.join(ROOT, "tool/wine"), work, "--disable=gems"].shelljoin unless target_of(work) == "host"

    command(work)
  end
end
