"""Kinds of files by name, as people call them when they search: `py`, `js`, `rust`, `md`."""

from __future__ import annotations

TYPES: dict[str, tuple[str, ...]] = {
    "asm": ("*.asm", "*.s", "*.S"),
    "c": ("*.c", "*.h"),
    "config": ("*.cfg", "*.conf", "*.config", "*.ini"),
    "cpp": ("*.cpp", "*.cc", "*.cxx", "*.c++", "*.hpp", "*.hh", "*.hxx", "*.h", "*.inl"),
    "cs": ("*.cs",),
    "css": ("*.css", "*.scss", "*.sass", "*.less"),
    "csv": ("*.csv", "*.tsv"),
    "dart": ("*.dart",),
    "docker": ("Dockerfile*", "*.dockerfile", "Containerfile*"),
    "elixir": ("*.ex", "*.exs", "*.eex", "*.heex"),
    "go": ("*.go",),
    "haskell": ("*.hs", "*.lhs"),
    "html": ("*.html", "*.htm"),
    "java": ("*.java",),
    "js": ("*.js", "*.jsx", "*.mjs", "*.cjs", "*.vue"),
    "json": ("*.json", "*.jsonl", "*.json5"),
    "julia": ("*.jl",),
    "kotlin": ("*.kt", "*.kts"),
    "lua": ("*.lua",),
    "make": ("Makefile*", "makefile*", "GNUmakefile*", "*.mk"),
    "md": ("*.md", "*.markdown", "*.mdx"),
    "notebook": ("*.ipynb",),
    "perl": ("*.pl", "*.pm", "*.t"),
    "php": ("*.php", "*.phtml"),
    "py": ("*.py", "*.pyi", "*.pyw"),
    "r": ("*.R", "*.r", "*.Rmd", "*.rmd"),
    "ruby": ("*.rb", "*.rake", "Rakefile", "Gemfile", "*.gemspec"),
    "rust": ("*.rs",),
    "scala": ("*.scala", "*.sbt"),
    "sh": ("*.sh", "*.bash", "*.zsh", "*.ksh", ".bashrc", ".zshrc", ".profile"),
    "sql": ("*.sql",),
    "svelte": ("*.svelte",),
    "swift": ("*.swift",),
    "tex": ("*.tex", "*.sty", "*.cls", "*.bib"),
    "tf": ("*.tf", "*.tfvars"),
    "toml": ("*.toml",),
    "ts": ("*.ts", "*.tsx", "*.mts", "*.cts"),
    "txt": ("*.txt",),
    "vue": ("*.vue",),
    "xml": ("*.xml", "*.xsd", "*.xsl", "*.svg"),
    "yaml": ("*.yaml", "*.yml"),
    "zig": ("*.zig",),
}
_OTHER_NAMES = {
    "bash": "sh", "csharp": "cs", "javascript": "js", "markdown": "md", "python": "py", "rb": "ruby", "rs": "rust",
    "shell": "sh", "typescript": "ts", "jsx": "js", "tsx": "ts", "yml": "yaml", "golang": "go", "kt": "kotlin",
    "terraform": "tf", "dockerfile": "docker", "makefile": "make", "c++": "cpp", "text": "txt", "ipynb": "notebook",
}  # fmt: skip


def globs_of(name: str) -> tuple[str, ...]:
    """The patterns of a type, () for an unknown one."""
    name = name.strip().lower().removeprefix(".")
    return TYPES.get(_OTHER_NAMES.get(name, name), ())
