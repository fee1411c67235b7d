# Which values of cells are shown, for ruby_child.rb: not those that nobody asked for, such as what an assignment, a
# definition, `p` or a loop over something returns. The parser that comes with Ruby says what the last statement is.

begin
  require "ripper"
rescue LoadError
  nil # then every value is shown but nil
end

module OiValues
  LONG = 100 # characters from which on a value is laid out over lines
  LIMIT = 20_000 # characters that are laid out
  LINES = 40 # that a value may take
  QUIET = %w[p pp puts print printf putc display warn write chdir mkdir require require_relative load sleep srand trap at_exit using
             include extend prepend attr_accessor attr_reader attr_writer private public protected module_function
             private_constant define_method alias_method].freeze
  LOOPS = /\A(?:each(?:_\w+)?|reverse_each|times|upto|downto|step|tap|loop|map!|select!|sort!|keep_if|delete_if)\z/

  class << self
    # The text of a value, nil where it is not to be shown.
    def shown(value, code)
      return nil if nil.equal?(value) || handle?(value) || silent?(code, value)

      text = inspected(value)
      return text if text.size <= LONG || text.size > LIMIT

      require "pp"
      return text unless value.respond_to?(:pretty_print)

      laid = PP.pp(value, +"", LONG).chomp
      laid.count("\n") > LINES ? text : laid # one number a line helps nobody
    end

    # What stands after `__END__`, nil where there is none.
    def rest(code)
      return nil unless defined?(Ripper) && code.match?(/^__END__\r?$/)

      tokens = Ripper.lex(code)
      at = tokens.index { |one| one[1] == :on___end__ }
      at && code.lines.drop(tokens[at][0][0]).join
    end

    private

    # What starting or opening something returns.
    def handle?(value)
      [IO, Thread, Binding].any? { |kind| kind === value }
    end

    def inspected(value)
      value.inspect.to_s.dup.force_encoding("UTF-8").scrub
    rescue NoMethodError
      raise if Kernel === value

      "#<#{Object.instance_method(:class).bind_call(value)}>" # a BasicObject
    end

    def silent?(code, value)
      return false unless defined?(Ripper)

      tree = Ripper.sexp(code)
      tree ? quiet?(last(tree[1]), value) : false
    end

    def last(statements)
      statements.reject { |one| one[0] == :void_stmt }.last || [:void_stmt]
    end

    # Whether this statement returns nothing that somebody would look at.
    def quiet?(node, value)
      case node[0]
      when :assign, :opassign, :massign, :def, :defs, :class, :module, :sclass, :alias, :var_alias, :undef, :void_stmt,
           :while, :until, :while_mod, :until_mod, :for, :END
        true
      when :if_mod, :unless_mod then quiet?(node[2], value)
      when :if, :unless, :elsif, :else then branches(node).all? { |one| quiet?(last(one), value) }
      when :begin, :paren, :bodystmt then nested?(node, value)
      when :rescue_mod then quiet?(node[1], value)
      else call?(node, value)
      end
    end

    def branches(node)
      own = node[0] == :else ? node[1] : node[2]
      following = node[0] == :else ? nil : node[3]
      [own, *(branches(following) if following)]
    end

    def nested?(node, value)
      inner = node[1]
      return false unless inner.is_a?(Array)

      inner[0].is_a?(Symbol) ? quiet?(inner, value) : quiet?(last(inner), value)
    end

    def call?(node, value)
      name = called(node)
      return true if QUIET.include?(name) || (node[0] == :method_add_block && LOOPS.match?(name))

      true.equal?(value) && name == "system"
    end

    # The name of the method that a statement calls, "" where it is no call.
    def called(node)
      case node[0]
      when :method_add_block, :method_add_arg then called(node[1])
      when :command, :fcall, :vcall then node[1][1].to_s
      when :call, :command_call then node[3].is_a?(Array) ? node[3][1].to_s : ""
      else ""
      end
    end
  end
end
