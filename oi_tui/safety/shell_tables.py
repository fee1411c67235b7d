"""What well-known programs do, as tables. `shell_programs` reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from oi_tui.safety.shell_text import names


@dataclass(frozen=True, slots=True)
class Looks:
    """A program that only reads. flags: its harmless letters, "*" for all; valued: letters that take a value. long: its
    harmless long options, "*" for all; those that end in = take a value of their own word too. operands: what they are:
    `paths`, `none` (neither paths nor harmful), `later` (the first is no path). most: how many there may be."""

    flags: str = "*"
    valued: str = ""
    long: str = "*"
    operands: Literal["paths", "none", "later"] = "paths"
    most: int = 1000


_ANY = Looks()
_WORDS = Looks(operands="none")

LOOKING: dict[str, Looks] = {
    **dict.fromkeys(
        names(
        "cat tac head tail wc nl ls dir vdir cmp comm join paste md5sum sha1sum sha224sum sha256sum sha384sum "
        "sha512sum b2sum cksum sum od hexdump stat readlink realpath basename dirname fold fmt expand unexpand "
        "rev tsort du df strings nm size zcat bzcat xzcat zstdcat lzcat column pr ptx egrep fgrep zgrep zegrep "
        "bzgrep xzgrep"
    ),
        _ANY,
    ),
    **dict.fromkeys(
        names(
        "echo true false : pwd whoami id groups arch nproc uptime w who users tty logname expr sleep "
        "seq factor numfmt yes basename dirname which whereis free vmstat getconf locale lscpu lsblk lsusb lspci "
        "lsmod pgrep pidof test [ exit return break continue shift wait jobs type cal ncal clear tput sw_vers"
    ),
        _WORDS,
    ),
    "cut": Looks("cdfbnsz", "cdfb", "complement only-delimited output-delimiter= delimiter= fields= bytes= characters= zero-terminated"),
    "tr": _WORDS,
    "sort": Looks("bdfgihMnRrVcCmsuzkt", "kt", "reverse numeric-sort unique human-numeric-sort general-numeric-sort "
                  "version-sort ignore-case ignore-leading-blanks stable key= field-separator= check zero-terminated "
                  "random-sort month-sort dictionary-order merge parallel="),
    "uniq": Looks("cdDuizfsw", "fsw", "count repeated unique ignore-case zero-terminated all-repeated skip-fields= skip-chars= check-chars=", most=1),
    "shuf": Looks("neizr", "ni", "head-count= echo repeat zero-terminated input-range="),
    "diff": Looks("qsrNuUcCwbBiyaEZtdeTWxp", "UCWx", "brief unified context side-by-side recursive new-file ignore-all-space "
                  "ignore-space-change ignore-blank-lines ignore-case text color suppress-common-lines width= exclude= stat "
                  "report-identical-files show-c-function minimal"),
    "diff3": Looks("AeExX3imTL", "L", ""),
    "xxd": Looks("bcegilopsu", "cglos", "", most=1),
    "base64": Looks("diw", "w", "decode ignore-garbage wrap="),
    "base32": Looks("diw", "w", "decode ignore-garbage wrap="),
    "file": Looks("bhiLkprsNn0", "", "brief mime mime-type mime-encoding dereference no-dereference raw"),
    "tree": Looks("adfiLIPlpsuhgDFNqQvtUrxnCAJX", "LIP", "noreport dirsfirst gitignore prune du si filelimit= charset= sort= matchdirs ignore-case"),
    "date": Looks("uRIdr", "dr", "utc universal rfc-3339= iso-8601 date= reference="),
    "hostname": Looks("fiIsdAa", "", "fqdn ip-address all-ip-addresses short domain", "none", 0),
    "uname": Looks("asnrvmpio", "", "all kernel-name nodename kernel-release machine", "none", 0),
    "ps": Looks("AaeflFNdjlyMHTLopuUCGgst", "opuUCGgstq", "sort= no-headers forest headers pid= ppid= user= format= width= cols=", "none", 2),
    "jq": Looks("rjscaCMSnRe", "", "raw-output join-output slurp compact-output ascii-output color-output monochrome-output "
                "sort-keys null-input raw-input exit-status tab indent= arg= argjson= args jsonargs", "later"),
    "rg": Looks("nHNilLcwxsSFvoUpPzaAqAhIjBCmegtTMruE0", "ABCmegtTMrjE", "line-number no-line-number ignore-case smart-case case-sensitive files files-with-matches "
                "files-without-match count count-matches word-regexp line-regexp fixed-strings invert-match only-matching multiline pcre2 "
                "no-heading heading with-filename no-filename color= glob= iglob= type= type-not= max-count= max-depth= context= after-context= "
                "before-context= sort= sortr= hidden no-ignore no-ignore-vcs json stats trim max-columns= replace= regexp= quiet null column "
                "vimgrep type-list max-filesize= glob-case-insensitive no-messages text", "later"),
    "grep": Looks("EFGPivwxcloqsbHhnLrRTUzaIAyBCmedD", "ABCmedD", "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case "
                  "no-ignore-case invert-match word-regexp line-regexp count color color= colour colour= files-with-matches files-without-match "
                  "only-matching quiet silent no-messages byte-offset with-filename no-filename line-number recursive "
                  "dereference-recursive null text include= exclude= exclude-dir= after-context= before-context= context= "
                  "max-count= regexp= binary-files= null-data line-buffered", "later"),
    "dpkg": Looks("lLsSpC", "", "list listfiles status search print-avail", "none"),
    "apt-cache": Looks("", "", "", "none"),
    "journalctl": Looks("xenruptbkfafoqS", "nuptobS", "no-pager unit= since= until= lines= boot= priority= output= reverse follow dmesg user system list-boots grep=", "none", 1),
    "zipinfo": Looks("12slvhmtTzZ", "", ""),
    "nm": Looks("aAgoptuCDrS", "t", ""),
    "lsof": Looks("aiPnptucd", "iptucd", "", "none"),
    "ss": Looks("tulnpaxeimo46s", "", "", "none", 0),
    "netstat": Looks("tulnpaxreisg46", "", "", "none", 0),
    "plutil": Looks("p", "", ""),
    "mdls": _ANY,
    "ulimit": Looks("aHSn", "", "", "none", 0),
    "umask": Looks("S", "", "", "none", 0),

}  # fmt: skip

# Which program, with which first words, only shows something. The rest of its words must be no options but these.
SHOWING: dict[str, dict[str, str]] = {
    "pip": {"list": "--format --user --not-required --local", "show": "--files -f", "freeze": "--local --user --all", "check": ""},
    "apt": {"list": "--installed --upgradable -a", "show": "-a", "search": ""},
    "systemctl": {"status": "--no-pager -l --user", "show": "--no-pager -p --user", "is-active": "--user", "is-enabled": "", "list-units": "--no-pager --all --type --state --user", "cat": "--no-pager"},
    "brew": {"list": "--versions --cask", "config": ""},
    "rustup": {"show": ""},
    "go": {"version": ""},
    "conda": {"list": "", "info": ""},
    "launchctl": {"list": ""},
    "defaults": {"read": ""},
    "loginctl": {"list-sessions": "--no-pager"},
    "timedatectl": {"status": "", "show": ""},
    "rpm": {"-qa": "", "-qi": "", "-ql": ""},
}  # fmt: skip
SHOWING["pip3"] = SHOWING["pip"]

# They change files or the system: which operands are files that change (`all`, `last` or `none` that is known).
WRITING: dict[str, str] = {
    **dict.fromkeys(names(
        "mkdir rmdir touch rm unlink shred truncate mkfifo mknod gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd "
        "compress uncompress"
    ), "all"),
    **dict.fromkeys(["cp", "mv", "ln", "install"], "last"),
    **dict.fromkeys(["chmod", "chown", "chgrp", "setfacl", "chattr"], "later"),
    **dict.fromkeys(names(
        "unzip zip split csplit mktemp patch cpio ar kill pkill killall crontab at mount umount mkfs fdisk parted "
        "wipefs useradd userdel usermod groupadd passwd shutdown reboot halt poweroff swapon swapoff insmod rmmod "
        "modprobe sysctl iptables nft ufw systemd-run renice xdg-open open pbcopy xclip xsel wl-copy notify-send "
        "logger wall write mesg stty setterm ffmpeg convert magick pandoc libreoffice soffice gcc cc clang g++ ld "
        "strip ranlib objcopy tex pdflatex xelatex dpkg-deb update-alternatives"
    ), "none"),
}  # fmt: skip

NETWORK: frozenset[str] = names(
    "ssh scp sftp rsync ftp lftp telnet nc ncat netcat socat ping ping6 traceroute tracepath mtr dig nslookup "
    "host whois gh glab hub aws gcloud az kubectl helm terraform heroku vercel netlify fly flyctl doctl oc "
    "mail sendmail mutt msmtp http https httpie aria2c axel yt-dlp youtube-dl rclone s3cmd gsutil mysql psql "
    "mongo mongosh redis-cli ollama twine docker podman nmap arp-scan certbot ngrok cloudflared "
    "tailscale wg apt apt-get aptitude dnf yum zypper pacman apk brew snap flatpak npx pipx uvx gem cpan "
    "luarocks composer bundle pip pip3 conda mamba poetry pdm npm yarn pnpm bun deno easy_install hf "
    "huggingface-cli"
)
# Of these, the first operand names the machine.
NAMES_HOST = names("ssh ftp lftp telnet nc ncat netcat ping ping6 traceroute tracepath mtr dig nslookup host whois")
# With these first words they use the network; with others they run code of the project.
ONLINE = names(
    "install i add download update upgrade search publish fetch pull push login clone get remove uninstall ci "
    "outdated audit dist-upgrade full-upgrade sync -S -Syu create info view dlx"
)
MIXED = names("npm yarn pnpm bun deno pip pip3 uv poetry pdm cargo go gem bundle composer conda mamba apt apt-get brew")

CODE = names(
    "python python2 python3 node deno bun ruby perl php lua julia R Rscript java javac scala kotlin swift "
    "osascript tclsh expect make cmake ninja meson bazel gradle mvn ant rake just tox nox pytest mypy ruff "
    "pyright tsc eslint jest vitest cargo go uv rustc dotnet msbuild ctest pre-commit vim vi nvim nano emacs "
    "ed ex less more man info top htop watch screen tmux script parallel entr busybox gdb lldb strace ltrace "
    "valgrind perf sqlite3 jupyter ipython bc dc m4 docker-compose vagrant ansible ansible-playbook"
)
HARMFUL = names(
    "mkfs fdisk parted wipefs shutdown reboot halt poweroff useradd userdel usermod passwd crontab insmod "
    "rmmod iptables nft ufw swapoff sysctl"
)
VERSION = frozenset({"--version", "-V", "-version", "--help"})
