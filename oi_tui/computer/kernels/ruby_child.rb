# The Ruby kernel: runs cells in one process that keeps variables, methods and classes between them.
#
# The parent (framed.py) starts it with the descriptors of two pipes as its arguments and standard output and error on
# a capture pipe. Frames and messages are those of python_child.py. Requests: `run`, `quit`. Events: `ready`, `line`
# (the running line), `stopping`, `done` (ok, exit, error, interrupted, cwd). The value of a cell's last expression is
# printed as its `inspect` has it, unless it is nil or what nobody asked for, see ruby_values.rb.

require "json"
require "stringio"
require_relative "ruby_values"

module OiKernel
  HERE = File.join(__dir__, "ruby_")
  BEAT = 0.05 # seconds between two looks at the running line
  FRAMES = 20 # of a backtrace, at each of its ends; endless recursion has ten thousand

  @requests = IO.for_fd(ARGV[-2].to_i, "rb")
  @events = IO.for_fd(ARGV[-1].to_i, "wb")
  [@requests, @events].each { |pipe| pipe.close_on_exec = true }
  @events.sync = true
  @lock = Mutex.new
  @main = Thread.current
  @pid = Process.pid
  @running = nil
  @heard = false

  class << self
    def send(message)
      return if Process.pid != @pid

      body = JSON.generate(message).b
      @lock.synchronize { @events.write([body.bytesize].pack("N") + body) }
    rescue SystemCallError, IOError
      exit!(1) # the parent is gone
    end

    def receive
      head = @requests.read(4)
      return nil if head.nil? || head.bytesize < 4

      size = head.unpack1("N")
      body = @requests.read(size)
      body.nil? || body.bytesize < size ? nil : JSON.parse(body.force_encoding("UTF-8"))
    end

    def serve
      ARGV.clear
      $stdout.sync = $stderr.sync = true
      @kept = [[1, :STDOUT, STDOUT.dup], [2, :STDERR, STDERR.dup]]
      trap("INT") { interrupted }
      Thread.new { pulse }
      send({ event: "ready", version: RUBY_VERSION })
      while (request = receive) && request["op"] != "quit"
        run(request) if request["op"] == "run"
      end
    end

    # SIGINT: stops the cell, and never hits the kernel between cells.
    def interrupted
      return unless @running

      @heard = true
      @main.raise(Interrupt, "")
    end

    # Beside the cell, in a thread of its own: tells the running line and that an interrupt was seen.
    def pulse
      told = nil
      loop do
        sleep(BEAT)
        id, name = @running
        next unless id

        if @heard
          @heard = false
          send({ event: "stopping", id: id })
        end
        place = @main.backtrace_locations&.reverse&.select { |one| one.path == name }&.last
        now = [id, place&.lineno]
        send({ event: "line", id: id, line: now[1] }) if now[1] && now != told
        told = now
      end
    end

    def run(request)
      done = { event: "done", id: request["id"], ok: true }
      restore
      enter(request["cwd"], done)
      name = "cell-#{request["id"]}"
      Thread.handle_interrupt(Interrupt => :never) do
        @heard = false
        @running = [request["id"], name]
        begin
          Thread.handle_interrupt(Interrupt => :immediate) { evaluate(request["code"], name) }
        rescue Exception => error
          done.update(explain(error, name))
        end
        @running = nil
        swallow_late_interrupt
      end
      exit!(done[:exit] || (done[:ok] ? 0 : 1)) if Process.pid != @pid # the cell forked, and this is the copy
      flush
      done[:cwd] = folder
      send(done)
    end

    # A cell is what was started, so its name is that of the program, and it has what stands after its `__END__`.
    def evaluate(code, name)
      $0 = name
      Object.send(:remove_const, :DATA) if Object.const_defined?(:DATA)
      rest = OiValues.rest(code)
      Object.const_set(:DATA, StringIO.new(rest)) if rest
      value = eval(code, TOPLEVEL_BINDING, name, 1)
      shown = OiValues.shown(value, code)
      $stdout.puts(shown) if shown
    end

    # An interrupt that arrived when the cell had just ended is nobody's.
    def swallow_late_interrupt
      Thread.handle_interrupt(Interrupt => :immediate) { Thread.pass }
    rescue Interrupt
      nil
    end

    def flush
      [$stdout, $stderr, STDOUT, STDERR].each do |stream|
        stream.flush
      rescue StandardError
        nil # closed or replaced by the person's code
      end
    end

    # Make standard output and error usable for the next cell, whatever the one before did to them.
    def restore
      @kept.each do |fd, name, kept|
        stream = Object.const_get(name)
        if stream.closed?
          stream = IO.for_fd(fd, "w", autoclose: false)
          Object.send(:remove_const, name)
          Object.const_set(name, stream)
        end
        stream.reopen(kept)
        stream.sync = true
      end
      $stdout = STDOUT if $stdout.respond_to?(:closed?) && $stdout.closed?
      $stderr = STDERR if $stderr.respond_to?(:closed?) && $stderr.closed?
    end

    def enter(folder, done)
      Dir.chdir(folder) unless folder.to_s.empty?
    rescue SystemCallError => error
      done[:lost_folder] = error.message
    end

    def folder
      Dir.pwd
    rescue SystemCallError
      ""
    end

    # What was raised before, in the words of Ruby.
    def causes(error)
      found = []
      while (error = error.cause) && found.size < FRAMES
        place = (error.backtrace || []).reject { |line| line.start_with?(HERE) }.first
        found << "#{"#{place}: " if place}#{error.message} (#{error.class})"
      end
      found
    end

    def shorten(frames)
      lines = frames.map { |line| "from #{line}" }
      return lines if lines.size <= 2 * FRAMES

      lines.first(FRAMES) + ["... #{lines.size - 2 * FRAMES} levels ..."] + lines.last(FRAMES)
    end

    # Print what a cell raised, without the kernel's own frames, and say how it ended.
    def explain(error, name)
      return { ok: error.success?, exit: error.status } if error.is_a?(SystemExit)

      own = (error.backtrace || []).reject { |line| line.start_with?(HERE) || line.include?("<internal:") }
      said = error.message.to_s
      said = said.sub(/\A\(?#{Regexp.escape(name)}/, name) if error.is_a?(SyntaxError)
      kind = error.class.to_s
      said = "interrupted" if error.is_a?(Interrupt) && said.empty?
      STDERR.puts(own.empty? ? "#{kind}: #{said}" : "#{own.first}: #{said} (#{kind})")
      shorten(own.drop(1)).each { |line| STDERR.puts("\t#{line}") }
      causes(error).each { |one| STDERR.puts(one) }
      told = { ok: false, error: "#{kind}: #{said.lines.first.to_s.strip}", interrupted: error.is_a?(Interrupt) }
      line = own.map { |one| one[/\A#{Regexp.escape(name)}:(\d+)/, 1] }.compact.first
      told[:line] = line.to_i if line
      told[:missing] = error.path if error.is_a?(LoadError) && error.path.to_s.match?(/\A\w/)
      told
    end
  end
end

module OiPlainIrb
  def setup(...)
    super
    conf[:USE_MULTILINE] = conf[:USE_SINGLELINE] = conf[:USE_COLORIZE] = conf[:USE_AUTOCOMPLETE] = false
  end
end

# Their sessions read commands from standard input. Where that is empty there is nobody to give any; where somebody types
# it is by the line, and what is shown goes to no terminal.
class Binding
  if $stdin.tty?
    alias __oi_irb irb

    def irb(...)
      require "irb"
      IRB.singleton_class.prepend(OiPlainIrb)
      __oi_irb(...)
    end
  else
    %i[irb pry break debugger].each do |word|
      define_method(word) { |*| warn("binding.#{word}: nobody can type here; print what you want to see") }
    end
  end
end

OiKernel.serve
