// The Java kernel: statements go to JShell and keep their declarations; a program with a class and `main` is compiled
// here and run in a Java of its own.
//
// The parent (framed.py, java.py) starts it, by java_start.java, with a folder for temporary files and the descriptors of
// two pipes. Requests are frames of fields parted by zero bytes: `run`, id, cwd, code; `interrupt`, id; `quit`. Events are
// framed JSON as in python_child.py: `ready`, `stopping`, `done`. Needs Java 11. Statements: see java_statements.java.

import java.io.*;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.tools.*;
import com.sun.source.tree.*;
import com.sun.source.util.JavacTask;

class OiJava {
    final DataOutputStream events;
    final BlockingQueue<String[]> requests = new LinkedBlockingQueue<>();
    final Path scratch;
    final PrintStream out = utf8(FileDescriptor.out), err = utf8(FileDescriptor.err);
    final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    final OiStatements statements = new OiStatements(this);
    volatile int running = -1;
    volatile boolean stopped;
    volatile Process program;
    String error = "";
    int line;

    public static void main(String[] all) throws Exception {
        OiJava kernel = new OiJava(all);
        kernel.serve(all[all.length - 2]);
    }

    OiJava(String[] all) throws Exception {
        scratch = Paths.get(all[0]);
        events = new DataOutputStream(new BufferedOutputStream(new FileOutputStream("/dev/fd/" + all[all.length - 1])));
    }

    static PrintStream utf8(FileDescriptor to) {
        return new PrintStream(new BufferedOutputStream(new FileOutputStream(to), 8192), true, StandardCharsets.UTF_8);
    }

    void serve(String pipe) throws Exception {
        ignoreInterrupts();
        Thread reader = new Thread(() -> read(pipe));
        reader.setDaemon(true);
        reader.start();
        tell("\"event\": \"ready\", \"version\": " + json(System.getProperty("java.version")));
        statements.warmUp();
        for (String[] request; !(request = requests.take())[0].equals("quit"); ) {
            run(Integer.parseInt(request[1]), request[2], request[3]);
        }
        Runtime.getRuntime().halt(0);
    }

    // The class of `sun.misc` is not for everybody, and naming it would be warned of.
    static void ignoreInterrupts() throws Exception {
        Class<?> signal = Class.forName("sun.misc.Signal"), handler = Class.forName("sun.misc.SignalHandler");
        Object none = handler.getField("SIG_IGN").get(null);
        signal.getMethod("handle", signal, handler).invoke(null, signal.getConstructor(String.class).newInstance("INT"), none);
    }

    void read(String pipe) {
        try (DataInputStream in = new DataInputStream(new FileInputStream("/dev/fd/" + pipe))) {
            while (true) {
                byte[] body = new byte[in.readInt()];
                in.readFully(body);
                String[] fields = new String(body, StandardCharsets.UTF_8).split("\0", -1);
                if (fields[0].equals("interrupt")) interrupt(Integer.parseInt(fields[1]));
                else requests.add(fields);
            }
        } catch (IOException gone) {
            Runtime.getRuntime().halt(0);
        }
    }

    void interrupt(int id) {
        if (id != running) return;
        stopped = true;
        tell("\"event\": \"stopping\", \"id\": " + id);
        Process child = program;
        if (child != null) child.destroy();
        Thread stopper = new Thread(() -> stop(id)); // JShell waits for what it stops
        stopper.setDaemon(true);
        stopper.start();
    }

    // Again and again, since a snippet that has not quite begun is not stopped.
    void stop(int id) {
        while (running == id) {
            statements.stop();
            try {
                Thread.sleep(50);
            } catch (InterruptedException nobody) {
                return;
            }
        }
    }

    synchronized void tell(String fields) {
        byte[] body = ("{" + fields + "}").getBytes(StandardCharsets.UTF_8);
        try {
            events.writeInt(body.length);
            events.write(body);
            events.flush();
        } catch (IOException gone) {
            Runtime.getRuntime().halt(1);
        }
    }

    static String json(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') made.append('\\').append(c);
            else if (c < ' ' || Character.isSurrogate(c)) made.append(String.format("\\u%04x", (int) c));
            else made.append(c);
        }
        return made.append('"').toString();
    }

    // -- a block

    void run(int id, String cwd, String code) {
        System.setOut(out);
        System.setErr(err);
        stopped = false;
        error = "";
        line = 0;
        running = id;
        Integer status = null;
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try {
            String cell = "cell-" + id;
            Map<String, Boolean> mains = programOf(code);
            if (mains != null && mains.containsValue(true)) status = program(cell, cwd, code, mains);
            else statements.run(cell, code);
            settle(before);
        } catch (IOException | RuntimeException failed) {
            complain(failed.toString(), 0);
        }
        System.out.flush();
        System.err.flush();
        running = -1;
        String end = status == null ? "" : ", \"exit\": " + status;
        boolean ok = error.isEmpty() && !stopped && (status == null || status == 0);
        tell("\"event\": \"done\", \"id\": " + id + ", \"ok\": " + ok + ", \"interrupted\": " + stopped + ", \"keeps\": "
            + statements.keep + (line > 0 ? ", \"line\": " + line : "") + (error.isEmpty() ? "" : ", \"error\": " + json(error)) + end);
    }

    void complain(String text, int at) {
        if (error.isEmpty()) {
            error = text.split("\n", 2)[0];
            line = at;
        }
        err.println(text.stripTrailing());
    }

    // A program ends when its threads have; those that wait for work that may never come are left.
    void settle(Set<Thread> before) {
        while (!stopped && Thread.getAllStackTraces().entrySet().stream().anyMatch(one -> works(one.getKey(), one.getValue(), before))) {
            try {
                Thread.sleep(10);
            } catch (InterruptedException nobody) {
                return;
            }
        }
    }

    static boolean works(Thread thread, StackTraceElement[] stack, Set<Thread> before) {
        boolean theirs = thread.isAlive() && !thread.isDaemon() && thread != Thread.currentThread() && !before.contains(thread);
        return theirs && Arrays.stream(stack).noneMatch(one -> one.getMethodName().equals("getTask")
            || one.getClassName().startsWith("sun.net.httpserver") || one.getClassName().startsWith("jdk.jshell"));
    }

    // -- programs

    static class Source extends SimpleJavaFileObject {
        final String text, name;

        Source(String name, String text) {
            super(URI.create("string:///" + name), Kind.SOURCE);
            this.name = name;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignored) {
            return text;
        }

        @Override
        public String getName() {
            return name;
        }
    }

    // The outer types of a program and whether each has a `main` to start it with; null when the code is none.
    Map<String, Boolean> programOf(String code) throws IOException {
        boolean[] wrong = {false};
        DiagnosticListener<JavaFileObject> ear = one -> wrong[0] |= one.getKind() == Diagnostic.Kind.ERROR;
        Source source = new Source("Main.java", code);
        JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), null, ear, null, null, List.of(source));
        Map<String, Boolean> found = new LinkedHashMap<>();
        for (CompilationUnitTree unit : task.parse()) {
            for (Tree type : unit.getTypeDecls()) {
                if (!(type instanceof ClassTree)) continue;
                ClassTree one = (ClassTree) type;
                // Newer Javas make a class of methods that stand alone.
                String name = one.getSimpleName().toString();
                if (!Pattern.compile("\\b(?:class|record|enum|interface)\\s+" + Pattern.quote(name) + "\\b").matcher(code).find()) return null;
                found.put(name, one.getMembers().stream().anyMatch(OiJava::starts));
            }
        }
        return wrong[0] ? null : found;
    }

    static boolean starts(Tree member) {
        if (!(member instanceof MethodTree)) return false;
        MethodTree method = (MethodTree) member;
        boolean fixed = method.getModifiers().getFlags().stream().anyMatch(one -> one.toString().equals("static"));
        return fixed && method.getName().contentEquals("main") && method.getParameters().size() == 1;
    }

    Integer program(String cell, String cwd, String code, Map<String, Boolean> types) throws IOException {
        String main = types.entrySet().stream().filter(Map.Entry::getValue).findFirst().orElseThrow(IOException::new).getKey();
        Matcher open = Pattern.compile("\\bpublic\\s+(?:\\w+\\s+)*?(?:class|record|enum|interface)\\s+(" + String.join("|", types.keySet()) + ")\\b").matcher(code);
        Matcher pack = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;").matcher(code);
        Path classes = Files.createTempDirectory(scratch, "classes");
        try {
            StringWriter said = new StringWriter();
            String path = classes + File.pathSeparator + cwd + File.pathSeparator + System.getProperty("oi.classes", "");
            List<String> how = List.of("-d", classes.toString(), "-cp", path);
            Source source = new Source((open.find() ? open.group(1) : main) + ".java", code);
            if (!compiler.getTask(said, null, null, how, null, List.of(source)).call()) {
                if (statements.keep && statements.runProgram(cell, code, main)) return null;
                Matcher at = Pattern.compile("\\.java:(\\d+): (error: .*)").matcher(said.toString());
                boolean placed = at.find();
                complain(said.toString(), placed ? Integer.parseInt(at.group(1)) : 0);
                error = placed ? at.group(2) : error;
                return 1;
            }
            if (!said.toString().isBlank()) err.print(said);
            if (!pack.find()) statements.declareLater(code);
            pack.reset();
            List<String> argv = List.of(Paths.get(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Dstderr.encoding=UTF-8", "-XX:+UseSerialGC",
                "-Xshare:auto", "-cp", path, pack.find() ? pack.group(1) + "." + main : main);
            program = new ProcessBuilder(argv).directory(new File(cwd)).inheritIO().start();
            return ended(program);
        } finally {
            program = null;
            try (Stream<Path> all = Files.walk(classes)) {
                all.sorted(Comparator.reverseOrder()).forEach(one -> one.toFile().delete());
            }
        }
    }

    static int ended(Process child) {
        while (true) {
            try {
                return child.waitFor();
            } catch (InterruptedException nobody) {
                continue;
            }
        }
    }
}
