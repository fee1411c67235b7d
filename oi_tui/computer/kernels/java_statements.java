// The statements of java_child.java: cut into snippets, evaluated by JShell in this process, and what goes wrong with them
// told by its line in the block. Of a block the value of the last expression is printed.

import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import jdk.jshell.*;
import jdk.jshell.execution.LocalExecutionControl;
import jdk.jshell.spi.*;
import jdk.jshell.Snippet.*;
import jdk.jshell.SourceCodeAnalysis.*;

class OiStatements {
    // Packages that are imported by themselves when a name is not found that one of them has.
    static final String[] KNOWN = {"java.util", "java.util.stream", "java.util.function", "java.io", "java.nio.file",
        "java.math", "java.time", "java.util.concurrent", "java.util.regex", "java.net", "java.time.format",
        "java.util.concurrent.atomic", "java.nio.charset", "java.text", "java.time.temporal", "java.net.http"};
    static final int FRAMES = 20; // of a stack, at each of its ends
    static final Pattern UNKNOWN = Pattern.compile("(?:symbol: +(?:class|variable)|class) (\\w+)");
    static final Pattern PRINTS = Pattern.compile("(?<![\\w.])(?:println|print|printf)\\s*\\(");
    static final String[] PRINTING = {"void println(Object... o) { System.out.println(o.length == 0 ? \"\" : o[0]); }",
        "void print(Object o) { System.out.print(o); }", "void printf(String f, Object... a) { System.out.printf(f, a); }"};

    final OiJava kernel;
    final JShell shell = JShell.builder().executionEngine(new Here(), Map.of()).build();
    final Map<String, Place> places = new HashMap<>(); // of snippets, by their id
    final List<String> later = new ArrayList<>(); // declared by programs: known as soon as there are statements
    boolean prints; // PRINTING is declared
    boolean keep; // something of the person's is declared

    // Runs snippets in this process, as JShell's own way to do so; but that says nothing of exceptions that end a thread.
    static class Here extends LocalExecutionControl implements ExecutionControlProvider {
        static volatile Method snippet;

        @Override
        public String name() {
            return "here";
        }

        @Override
        public ExecutionControl generate(ExecutionEnv env, Map<String, String> parameters) {
            return this;
        }

        @Override
        protected String invoke(Method snippet) throws Exception {
            Here.snippet = snippet;
            Method around = Here.class.getMethod("call");
            around.setAccessible(true); // the class is not public
            return super.invoke(around);
        }

        // In a group below JShell's, so that it can stop what runs there.
        public static Object call() throws Throwable {
            Object[] came = new Object[1];
            Throwable[] thrown = new Throwable[1];
            Thread thread = new Thread(new ThreadGroup("main") {
                @Override
                public void uncaughtException(Thread thread, Throwable error) {
                    System.err.print("Exception in thread \"" + thread.getName() + "\" ");
                    error.printStackTrace();
                }
            }, () -> {
                try {
                    came[0] = snippet.invoke(null);
                } catch (InvocationTargetException error) {
                    thrown[0] = error.getCause();
                } catch (IllegalAccessException error) {
                    thrown[0] = error;
                }
            }, "main");
            thread.start();
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException stopped) {
                    thread.interrupt();
                }
            }
            if (thrown[0] != null) throw thrown[0];
            return came[0];
        }
    }

    // Where a snippet stands in its block: the name of that and the lines before it.
    static class Place {
        final String cell;
        final int before;

        Place(String cell, int before) {
            this.cell = cell;
            this.before = before;
        }
    }

    // One snippet of a block, its first character, and whether it could be read.
    static class Piece {
        final String source;
        final int start;
        final boolean whole;

        Piece(String source, int start, boolean whole) {
            this.source = source;
            this.start = start;
            this.whole = whole;
        }
    }

    OiStatements(OiJava kernel) {
        this.kernel = kernel;
    }

    // Load what the first block needs.
    void warmUp() {
        for (String place : (System.getProperty("oi.classes", "") + File.pathSeparator + ".").split(File.pathSeparator)) {
            if (!place.isEmpty()) shell.addToClasspath(place);
        }
        shell.eval("1");
    }

    void stop() {
        shell.stop();
    }

    void declareLater(String program) {
        later.add(program);
    }

    // A program that needs what earlier blocks declared, run among them. False when it does not work there either.
    boolean runProgram(String cell, String code, String main) {
        List<Piece> pieces = cut(code);
        for (Piece piece : pieces) {
            for (SnippetEvent event : evaluate(piece.source)) {
                boolean good = event.causeSnippet() != null || event.status() == Status.VALID;
                if (!good) return false;
            }
        }
        note(cell, code, pieces);
        statement(cell, code, new Piece(main + ".main(new String[0]);", 0, true), false);
        return true;
    }

    void note(String cell, String code, List<Piece> pieces) {
        for (Piece piece : pieces) {
            shell.snippets().filter(one -> one.source().equals(piece.source)).forEach(one -> places.put(one.id(), at(cell, code, piece)));
        }
    }

    void run(String cell, String code) {
        List<Piece> pieces = cut(code);
        Optional<Piece> wrong = pieces.stream().filter(one -> !one.whole).findFirst();
        if (wrong.isPresent()) { // nothing is run of a block that cannot be read
            statement(cell, code, wrong.get(), false);
            if (!kernel.error.isEmpty()) return;
        }
        List<String> programs = new ArrayList<>(later);
        later.clear();
        for (String program : programs) cut(program).forEach(one -> evaluate(one.source));
        if (!prints && PRINTS.matcher(code).find()) {
            for (String one : PRINTING) shell.eval(one);
            prints = true;
        }
        String start = "";
        boolean started = false;
        for (int i = 0; i < pieces.size() && kernel.error.isEmpty() && !kernel.stopped; i++) {
            Snippet made = statement(cell, code, pieces.get(i), i == pieces.size() - 1);
            String call = made == null ? "" : callOfMain(made);
            start = call.isEmpty() ? start : call;
            started |= Pattern.compile("^\\s*(?:\\w+\\.)?main\\s*\\(").matcher(pieces.get(i).source).find();
        }
        if (kernel.error.isEmpty() && !kernel.stopped) {
            shell.snippets().filter(one -> shell.status(one) == Status.RECOVERABLE_DEFINED && placed(one, cell)).forEach(this::tellMissing);
            if (!start.isEmpty() && !started) statement(cell, code, new Piece(start, 0, true), false);
        }
    }

    boolean placed(Snippet one, String cell) {
        return places.containsKey(one.id()) && places.get(one.id()).cell.equals(cell);
    }

    void tellMissing(Snippet one) {
        String names = shell.unresolvedDependencies((DeclarationSnippet) one).collect(Collectors.joining(", "));
        kernel.err.println("Note: " + ((DeclarationSnippet) one).name() + " cannot be used until there is " + names);
    }

    // How to start what this declares, "" when it is no `main` and has none.
    String callOfMain(Snippet made) {
        if (made instanceof MethodSnippet && ((MethodSnippet) made).name().equals("main")) {
            String takes = ((MethodSnippet) made).parameterTypes();
            return takes.isEmpty() ? "main();" : takes.equals("String[]") || takes.equals("String...") ? "main(new String[0]);" : "";
        }
        if (!(made instanceof TypeDeclSnippet)) return "";
        String name = ((TypeDeclSnippet) made).name();
        Matcher main = Pattern.compile("(\\bstatic\\s+)?(?:final\\s+)?void\\s+main\\s*\\(\\s*(String)?").matcher(made.source());
        if (!main.find()) return "";
        return (main.group(1) == null ? "new " + name + "()" : name) + ".main(" + (main.group(2) == null ? "" : "new String[0]") + ");";
    }

    List<Piece> cut(String code) {
        List<Piece> found = new ArrayList<>();
        // Lines for the jshell tool itself mean nothing here; blanks keep the others in their places.
        String rest = Pattern.compile("(?m)^/[a-z!?-][^*/\\n]*$").matcher(code).replaceAll(one -> " ".repeat(one.group().length()));
        while (!rest.isBlank()) {
            CompletionInfo info = shell.sourceCodeAnalysis().analyzeCompletion(rest);
            if (info.completeness() == Completeness.EMPTY) break;
            String left = info.remaining() == null ? "" : info.remaining();
            boolean whole = info.completeness() != Completeness.UNKNOWN && info.completeness() != Completeness.DEFINITELY_INCOMPLETE;
            String source = (whole && info.source() != null ? info.source() : rest).stripLeading();
            int start = code.length() - rest.length() + Math.max(rest.indexOf(source.replaceFirst(";$", "")), 0);
            found.add(new Piece(source, start, whole));
            if (!whole || left.length() >= rest.length()) break;
            rest = left;
        }
        return found;
    }

    // Evaluate one snippet; a name that is not known is looked for in the packages that everybody imports.
    List<SnippetEvent> evaluate(String source) {
        Set<String> tried = new HashSet<>();
        while (true) {
            List<SnippetEvent> events = shell.eval(source);
            SnippetEvent first = events.isEmpty() ? null : events.get(0);
            if (first == null || first.status() == Status.VALID || !importFor(first.snippet(), tried)) return events;
            if (first.status().isDefined()) return events; // it has been completed by the import
        }
    }

    boolean importFor(Snippet snippet, Set<String> tried) {
        Stream<String> said = shell.diagnostics(snippet).map(one -> one.getMessage(Locale.ENGLISH));
        if (snippet instanceof DeclarationSnippet) said = Stream.concat(said, shell.unresolvedDependencies((DeclarationSnippet) snippet));
        boolean found = false;
        for (String text : said.collect(Collectors.toList())) {
            Matcher name = UNKNOWN.matcher(text);
            while (name.find()) {
                if (!tried.add(name.group(1))) continue;
                Optional<String> home = Arrays.stream(KNOWN).filter(one -> exists(one + "." + name.group(1))).findFirst();
                if (home.isPresent()) shell.eval("import " + home.get() + ".*;");
                found |= home.isPresent();
            }
        }
        return found;
    }

    static boolean exists(String name) {
        try {
            Class.forName(name, false, null);
            return true;
        } catch (ClassNotFoundException | LinkageError none) {
            return false;
        }
    }

    static Place at(String cell, String code, Piece piece) {
        return new Place(cell, (int) code.substring(0, piece.start).chars().filter(c -> c == '\n').count());
    }

    // Run one snippet and say what is wrong with it. Returns it when all went well.
    Snippet statement(String cell, String code, Piece piece, boolean shows) {
        List<SnippetEvent> events = evaluate(piece.source);
        Snippet made = null;
        for (SnippetEvent event : events) {
            Snippet snippet = event.snippet();
            if (event.causeSnippet() != null) continue;
            places.put(snippet.id(), at(cell, code, piece));
            boolean named = snippet instanceof DeclarationSnippet && snippet.subKind() != SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
            keep |= named && event.status().isActive();
            if (event.status() == Status.REJECTED) reject(code, cell, piece, snippet);
            else if (event.exception() != null) thrown(event.exception());
            else made = snippet;
            if (shows && made == snippet && event.value() != null && isResult(snippet) && !kernel.stopped) System.out.println(event.value());
        }
        return made;
    }

    static boolean isResult(Snippet snippet) {
        if (snippet.subKind() == SubKind.TEMP_VAR_EXPRESSION_SUBKIND || snippet.subKind() == SubKind.VAR_VALUE_SUBKIND) return true;
        return snippet.kind() == Kind.EXPRESSION && snippet.subKind() == SubKind.OTHER_EXPRESSION_SUBKIND;
    }

    void reject(String code, String cell, Piece piece, Snippet snippet) {
        for (Diag one : shell.diagnostics(snippet).filter(Diag::isError).collect(Collectors.toList())) {
            int offset = (int) Math.max(0, Math.min(one.getPosition(), piece.source.length())) + piece.start;
            int from = code.lastIndexOf('\n', Math.min(offset, code.length()) - 1) + 1, to = code.indexOf('\n', from);
            int number = 1 + (int) code.substring(0, from).chars().filter(c -> c == '\n').count();
            String shown = code.substring(from, to < 0 ? code.length() : to);
            kernel.complain(cell + ":" + number + ": error: " + one.getMessage(Locale.ENGLISH).replaceFirst("\n *location: class *$", "") + "\n" + shown + "\n"
                + " ".repeat(Math.max(0, Math.min(offset - from, shown.length()))) + "^", number);
        }
        if (kernel.error.isEmpty()) kernel.complain(cell + ": error: this cannot be run", 0);
    }

    void thrown(JShellException exception) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (Throwable one = exception; one != null; one = one.getCause()) {
            if (one instanceof UnresolvedReferenceException) {
                DeclarationSnippet lacking = ((UnresolvedReferenceException) one).getSnippet();
                String names = shell.unresolvedDependencies(lacking).collect(Collectors.joining(", "));
                text.append(lacking.name()).append(" cannot be used until there is ").append(names).append('\n');
                break;
            }
            String kind = one instanceof EvalException ? ((EvalException) one).getExceptionClassName() : one.getClass().getName();
            text.append(text.length() == 0 ? "Exception in thread \"main\" " : "Caused by: ").append(kind);
            text.append(one.getMessage() == null ? "" : ": " + one.getMessage()).append('\n');
            StackTraceElement[] frames = one.getStackTrace();
            for (int i = 0; i < frames.length; i++) {
                if (i >= FRAMES && i < frames.length - FRAMES) {
                    if (i == FRAMES) text.append("\t... ").append(frames.length - 2 * FRAMES).append(" more\n");
                    continue;
                }
                StackTraceElement frame = frames[i];
                String file = String.valueOf(frame.getFileName());
                Place place = file.startsWith("#") ? places.get(file.substring(1)) : null;
                String where = place == null ? "" : place.cell + ":" + (place.before + frame.getLineNumber());
                at = at == 0 && place != null ? place.before + frame.getLineNumber() : at;
                String method = (frame.getClassName().isEmpty() ? "" : frame.getClassName() + ".") + frame.getMethodName();
                method = method.replaceFirst("^\\.", "");
                text.append("\tat ").append(place == null ? frame.toString() : method.isEmpty() ? where : method + "(" + where + ")").append('\n');
            }
        }
        kernel.complain(text.toString(), at);
        kernel.error = text.toString().split("\n", 2)[0].replace("Exception in thread \"main\" ", "");
    }
}
