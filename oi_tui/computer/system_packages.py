"""A missing command: which package of the system brings it, and the line that installs that.

Whether to install is asked by the session, always. Package managers that can be asked for a command by its name (dnf,
zypper, apk) are; for the others there is a list of common ones, then what the system itself suggests
(`command-not-found`), then a package of the same name in the distribution's own archive.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

# Manager -> how it installs without a question. The first that is found is taken.
MANAGERS = {
    "apt-get": "apt-get install -y", "dnf": "dnf install -y", "pacman": "pacman -S --needed --noconfirm",
    "apk": "apk add", "zypper": "zypper --non-interactive install", "brew": "brew install",
}  # fmt: skip
_BY_COMMAND = {"dnf": "/usr/bin/{}", "zypper": "/usr/bin/{}", "apk": "cmd:{}"}

# Command, then its package for apt-get, pacman and brew; `-` where it is not known, `=` where it is as the command.
_LISTED = """
7z p7zip-full p7zip sevenzip
ab apache2-utils apache -
aria2c aria2 aria2 aria2
bc bc bc bc
cargo cargo rust rust
cmake cmake cmake cmake
convert imagemagick imagemagick imagemagick
curl curl curl curl
cwebp webp libwebp webp
dig dnsutils bind bind
docker docker.io docker docker
dot graphviz graphviz graphviz
espeak espeak espeak-ng espeak
exiftool libimage-exiftool-perl perl-image-exiftool exiftool
ffmpeg ffmpeg ffmpeg ffmpeg
ffprobe ffmpeg ffmpeg ffmpeg
file file file file-formula
g++ g++ gcc gcc
gcc gcc gcc gcc
gh gh github-cli gh
git git git git
gnuplot gnuplot gnuplot gnuplot
go golang-go go go
gs ghostscript ghostscript ghostscript
htop htop htop htop
identify imagemagick imagemagick imagemagick
ifconfig net-tools net-tools -
inkscape inkscape inkscape inkscape
ip iproute2 iproute2 iproute2mac
java default-jre-headless jre-openjdk-headless openjdk
javac default-jdk-headless jdk-openjdk openjdk
jpegoptim jpegoptim jpegoptim jpegoptim
jq jq jq jq
libreoffice libreoffice libreoffice-fresh -
lsof lsof lsof lsof
magick - imagemagick imagemagick
make make make make
mediainfo mediainfo mediainfo mediainfo
mogrify imagemagick imagemagick imagemagick
mysql default-mysql-client mariadb-clients mysql-client
nc netcat-openbsd openbsd-netcat netcat
netstat net-tools net-tools -
nmap nmap nmap nmap
node nodejs nodejs node
npm npm npm node
octave octave octave octave
optipng optipng optipng optipng
pandoc pandoc pandoc-cli pandoc
parallel parallel parallel parallel
pdfimages poppler-utils poppler poppler
pdfinfo poppler-utils poppler poppler
pdflatex texlive-latex-base texlive-latex -
pdftoppm poppler-utils poppler poppler
pdftotext poppler-utils poppler poppler
perl perl perl perl
php php-cli php php
pigz pigz pigz pigz
ping iputils-ping iputils -
pip3 python3-pip python-pip python
pngquant pngquant pngquant pngquant
psql postgresql-client postgresql libpq
qpdf qpdf qpdf qpdf
redis-cli redis-tools redis redis
rg ripgrep ripgrep ripgrep
rsync rsync rsync rsync
ruby ruby ruby ruby
rustc rustc rust rust
screen screen screen screen
shellcheck shellcheck shellcheck shellcheck
soffice libreoffice libreoffice-fresh -
sox sox sox sox
sqlite3 sqlite3 sqlite sqlite
strace strace strace -
tesseract tesseract-ocr tesseract tesseract
tmux tmux tmux tmux
traceroute traceroute traceroute -
tree tree tree tree
unzip unzip unzip unzip
wget wget wget wget
whois whois whois whois
xclip xclip xclip xclip
xmllint libxml2-utils libxml2 libxml2
xsltproc xsltproc libxslt libxslt
xz xz-utils xz xz
yt-dlp yt-dlp yt-dlp yt-dlp
zip zip zip zip
zstd zstd zstd zstd
"""
PACKAGES: dict[str, dict[str, str]] = {
    command: {"apt-get": apt, "pacman": pacman, "brew": brew}
    for command, apt, pacman, brew in (line.split() for line in _LISTED.split("\n") if line)
}

_COMMAND = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]{0,60}")
# As bash, dash and zsh say it: `bash: jq: command not found`, `sh: 1: jq: not found`, `zsh: command not found: jq`.
_NOT_FOUND = re.compile(r"^.*?(?:command not found: (?P<z>\S+)|(?P<b>\S+): (?:command )?not found)\s*$", re.MULTILINE)
_SUGGESTED = re.compile(r"\b(?:apt|apt-get) install ([a-z0-9][a-z0-9+.-]+)")
_PATIENCE = 5.0  # seconds that the system's own data bases get to answer


@dataclass(frozen=True, slots=True)
class Offer:
    """A package for a command. line: what installs it, as typed in a shell. known: the package is known to bring it,
    and has not only its name."""

    package: str
    line: str
    known: bool


def missing_command(text: str) -> str:
    """The command that a shell did not find last, by what it printed; "" for none, and for what is a path."""
    found = [one["z"] or one["b"] for one in _NOT_FOUND.finditer(text)]
    return found[-1] if found and _COMMAND.fullmatch(found[-1]) else ""


async def offer(command: str, env: Mapping[str, str]) -> Offer | str:
    """What installs a command here, or a sentence on why nothing can be offered."""
    manager = next((one for one in MANAGERS if shutil.which(one, path=env.get("PATH"))), "")
    if not manager:
        return f"{command} is not installed, and no package manager is known here: install it by hand"
    package, known = _BY_COMMAND.get(manager, "").format(command), True
    if not package:
        listed = PACKAGES.get(command, {}).get(manager, "-")
        package = listed if listed != "-" else await _suggested(command, env)
    if not package:
        package, known = command, False
        if not await _in_archive(manager, command, env):
            return f"{command} is not installed, and no package of {manager} is known that brings it"
    line = f"{MANAGERS[manager]} {package}"
    if manager == "brew" or os.geteuid() == 0:
        return Offer(package, line, known)
    if shutil.which("sudo", path=env.get("PATH")) is None:
        return f"{command} comes with the package {package}; only root can install it: {line}"
    return Offer(package, f"sudo {line}", known)


async def _suggested(command: str, env: Mapping[str, str]) -> str:
    """The package that Debian's or Ubuntu's data base of commands names, "" for none."""
    for program in ("/usr/lib/command-not-found", "/usr/share/command-not-found/command-not-found"):
        if os.access(program, os.X_OK):
            found = _SUGGESTED.search((await said(env, program, "--ignore-installed", "--", command))[1])
            return found[1] if found else ""
    return ""


async def _in_archive(manager: str, package: str, env: Mapping[str, str]) -> bool:
    """Whether the distribution has a package of this name."""
    asks = {"apt-get": ("apt-cache", "show"), "pacman": ("pacman", "-Si")}.get(manager)
    return asks is not None and (await said(env, *asks, "--", package))[0] == 0


async def said(env: Mapping[str, str], *argv: str) -> tuple[int, str]:
    """Status and output of a short question to the system; (1, "") where it cannot be asked."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, env=dict(env), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
    except OSError:
        return 1, ""
    try:
        words, _ = await asyncio.wait_for(process.communicate(), _PATIENCE)
    except TimeoutError:
        return 1, ""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, words.decode("utf-8", "replace")
