// The first start of the Java kernel: compiles its sources into a folder, where the next start finds them, and goes on
// with it. Where that folder cannot be written a temporary one will do. Arguments: the folder; then those of the kernel.

import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

class OiStart {
    public static void main(String[] all) throws Exception {
        Path folder = Paths.get(all[0]);
        try {
            Files.createDirectories(folder.getParent());
            Path made = Files.createTempDirectory(folder.getParent(), "new");
            compile(made);
            folder = moved(made, folder);
        } catch (IOException readOnly) {
            folder = Files.createTempDirectory(Paths.get(all[1]), "kernel");
            compile(folder);
        }
        Class<?> kernel = new URLClassLoader(new URL[] {folder.toUri().toURL()}).loadClass("OiJava");
        var main = kernel.getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        main.invoke(null, (Object) Arrays.copyOfRange(all, 1, all.length));
    }

    // Another start may have been quicker.
    static Path moved(Path made, Path folder) throws IOException {
        try {
            return Files.move(made, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException there) {
            if (!Files.isDirectory(folder)) throw there;
            for (File one : made.toFile().listFiles()) one.delete();
            Files.delete(made);
            return folder;
        }
    }

    static void compile(Path to) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<JavaFileObject> sources = new ArrayList<>();
        for (String path : System.getProperty("oi.sources").split(File.pathSeparator)) {
            String text = Files.readString(Paths.get(path));
            sources.add(new SimpleJavaFileObject(URI.create("string:///" + Paths.get(path).getFileName()), JavaFileObject.Kind.SOURCE) {
                @Override
                public CharSequence getCharContent(boolean ignored) {
                    return text;
                }
            });
        }
        StringWriter said = new StringWriter();
        if (!compiler.getTask(said, null, null, List.of("-d", to.toString(), "--release", "11", "-proc:none", "-XDstringConcat=inline"), null, sources).call()) {
            throw new IllegalStateException(said.toString());
        }
    }
}
