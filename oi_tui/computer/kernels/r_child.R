# The R kernel: runs cells in one process that keeps the global environment between them.
#
# The parent (framed.py, r.py) starts it with a folder for pictures and the descriptors of two pipes as its last
# arguments, and standard output and error on a capture pipe. Requests are frames of fields parted by zero bytes: `run`,
# id, cwd, code; or `quit`. Events are framed JSON as in python_child.py: `ready`, `stopping`, `show`, `done`. As at R's prompt, the
# value of each expression is printed unless it is invisible. Plots become pictures.

local({
  arguments <- commandArgs(trailingOnly = TRUE)
  scratch <- arguments[1]
  requests <- file(paste0("/dev/fd/", arguments[2]), "rb", raw = TRUE)
  events <- file(paste0("/dev/fd/", arguments[3]), "wb", raw = TRUE)
  plots <- 0L
  at <- NULL # the place of the expression that runs
  here <- attach(NULL, name = "oi") # what the person's code finds before R's own

  quoted <- function(text) {
    text <- enc2utf8(as.character(text))
    text <- gsub("\\", "\\\\", text, fixed = TRUE)
    text <- gsub("\"", "\\\"", text, fixed = TRUE)
    for (code in 1:31) {
      text <- gsub(rawToChar(as.raw(code)), sprintf("\\u%04x", code), text, fixed = TRUE)
    }
    paste0("\"", text, "\"")
  }

  # A named list of texts, numbers and truth values as one JSON object.
  tell <- function(...) {
    fields <- list(...)
    values <- vapply(fields, function(one) {
      if (is.logical(one)) tolower(as.character(one)) else if (is.numeric(one)) as.character(one) else quoted(one)
    }, "")
    body <- charToRaw(paste0("{", paste0("\"", names(fields), "\":", values, collapse = ","), "}"))
    writeBin(c(writeBin(length(body), raw(), endian = "big"), body), events)
    flush(events)
  }

  receive <- function() {
    head <- readBin(requests, "integer", 1L, endian = "big")
    if (!length(head)) return(NULL)
    body <- raw(0)
    while (length(body) < head) {
      piece <- readBin(requests, "raw", head - length(body))
      if (!length(piece)) return(NULL)
      body <- c(body, piece)
    }
    cuts <- c(0L, which(body == as.raw(0)), length(body) + 1L)
    vapply(seq_len(length(cuts) - 1L), function(i) {
      text <- rawToChar(body[seq_len(cuts[i + 1] - cuts[i] - 1L) + cuts[i]])
      Encoding(text) <- "UTF-8"
      text
    }, "")
  }

  device <- function(...) {
    plots <<- plots + 1L
    grDevices::png(file.path(scratch, sprintf("plot-%d-%%03d.png", plots)), width = 960, height = 640, res = 110)
  }

  # Close what the cell has drawn on and hand the pictures on.
  show_plots <- function(id) {
    if (plots == 0L) return(invisible())
    grDevices::graphics.off()
    for (number in seq_len(plots)) {
      for (picture in Sys.glob(file.path(scratch, sprintf("plot-%d-*.png", number)))) {
        tell(event = "show", id = id, ack = 0L, mime = "image/png", file = picture)
      }
    }
    plots <<- 0L
  }

  # How the evaluation of a cell stands on the stack: conditions at its top level name this call, which is not the
  # person's, and the frames up to it are ours.
  evaluation <- quote(eval(expression_of_cell, globalenv()))

  eval_cell <- function(code, name) {
    lines <- strsplit(code, "\n", fixed = TRUE)[[1L]]
    expressions <- parse(text = code, keep.source = TRUE, srcfile = srcfilecopy(name, lines))
    places <- attr(expressions, "srcref")
    for (i in seq_along(expressions)) {
      expression_of_cell <- expressions[[i]]
      at <<- places[[i]]
      value <- withVisible(eval(expression_of_cell, globalenv()))
      here$.Last.value <- value$value
      if (value$visible) {
        if (isS4(value$value)) methods::show(value$value) else print(value$value)
      }
    }
  }

  short <- function(call) paste(utils::head(deparse(call), 1L), collapse = "")
  is_ours <- function(call) is.null(call) || identical(call, evaluation) || identical(call[[1L]], as.name("parse"))

  # How many of these calls are ours: all to the evaluation of a cell, which R does in one more frame of the same call.
  depth <- function(calls) which(vapply(calls, identical, TRUE, evaluation))[1L] + 1L

  # Where the person's code stands now, innermost first: lists of a line in the cell and the call that it lies in.
  standing <- function(name) {
    calls <- sys.calls()
    begin <- depth(calls)
    found <- list()
    for (i in rev(seq_along(calls)[seq_along(calls) > begin])) {
      place <- attr(calls[[i]], "srcref")
      if (is.null(place) || !identical(attr(place, "srcfile")$filename, name)) next
      found <- c(found, list(list(line = place[1L], call = if (i > begin + 1L) short(calls[[i - 1L]]) else "")))
    }
    last <- length(found)
    if (is.null(at)) return(list()) # it could not be read
    if (!last || nzchar(found[[last]]$call)) found <- c(found, list(list(line = at[1L], call = "")))
    found
  }

  say_error <- function(condition) {
    text <- conditionMessage(condition)
    call <- conditionCall(condition)
    where <- if (is_ours(call)) "Error: " else paste0("Error in ", short(call), " : ")
    cat(where, text, "\n", sep = "", file = stderr())
    paste0(where, sub("\n.*", "", text))
  }

  say_place <- function(name, frames) {
    lines <- vapply(frames, function(one) {
      paste0("    at ", name, ":", one$line, if (nzchar(one$call)) paste0(" in ", one$call))
    }, "")
    lines <- lines[!duplicated(lines)]
    if (length(lines) > 12L) lines <- c(lines[1:6], "    ...", utils::tail(lines, 5L))
    if (length(lines)) cat(paste0(lines, "\n"), sep = "", file = stderr())
  }

  # As `options(warn)` wants it: below 0 nothing is said, from 2 on a warning is an error.
  say_warning <- function(condition) {
    wanted <- getOption("warn", 1)
    call <- conditionCall(condition)
    text <- conditionMessage(condition)
    if (wanted >= 2) stop(simpleError(paste0("(converted from warning) ", text), call))
    place <- if (is_ours(call)) "" else paste0(" in ", short(call), " ")
    if (wanted >= 0) cat("Warning", place, ": ", text, "\n", sep = "", file = stderr())
    tryInvokeRestart("muffleWarning")
  }

  folder <- function() tryCatch(getwd(), error = function(e) "")

  run <- function(id, cwd, code) {
    lost <- if (nzchar(cwd)) tryCatch({ setwd(cwd); "" }, error = conditionMessage) else ""
    ok <- TRUE
    interrupted <- FALSE
    error <- missing <- note <- ""
    line <- 0L
    frames <- list()
    name <- sprintf("cell-%d", id)
    at <<- NULL
    options(device = device)
    # An interrupt that came when the cell before had just ended is nobody's.
    tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(condition) NULL)
    tryCatch(
      withCallingHandlers(
        allowInterrupts(eval_cell(code, name)),
        interrupt = function(condition) tell(event = "stopping", id = id),
        warning = say_warning,
        error = function(condition) frames <<- tryCatch(standing(name), error = function(e) list())
      ),
      interrupt = function(condition) {
        interrupted <<- TRUE
        ok <<- FALSE
      },
      error = function(condition) {
        ok <<- FALSE
        error <<- say_error(condition)
        say_place(name, frames)
        if (length(frames)) line <<- frames[[1L]]$line
        if (inherits(condition, "packageNotFoundError")) missing <<- condition$package
      }
    )
    if (sink.number() > 0L) {
      note <- "output still went to a sink(); that was ended with the block"
      while (sink.number() > 0L) sink()
    }
    tryCatch(show_plots(id), error = function(condition) say_error(condition))
    tell(event = "done", id = id, ok = ok, interrupted = interrupted, error = error, missing = missing, line = line,
      note = note, cwd = folder(), lost_folder = lost)
  }

  # R's own does not wait outside its console. Opened anew each time, so that an end of the input is not for ever.
  unlockBinding("readline", baseenv())
  assign("readline", function(prompt = "") {
    cat(prompt)
    flush(stdout())
    input <- file("stdin", "r")
    on.exit(close(input))
    line <- readLines(input, 1L, warn = FALSE)
    if (!length(line)) stop("readline() got no input: nobody typed anything; put the value in the code", call. = FALSE)
    trimws(line)
  }, baseenv())
  lockBinding("readline", baseenv())

  # What needs a window, R's prompt or its own top level, for the person's code only: packages have the originals.
  here$View <- function(x, title) print(x)
  here$sys.nframe <- function() { # 0 at the top level of a cell, as scripts expect
    number <- sys.parent()
    if (number > 0L) number - depth(sys.calls()) else 0L
  }
  # R's own debugger takes its commands from the file of this kernel, finds none and steps through all that follows.
  typed <- isatty(stdin())
  here$browser <- function(text = "", condition = NULL, expr = TRUE, skipCalls = 0L) {
    if (!isTRUE(as.logical(expr))) return(invisible())
    if (!typed) {
      no_debugger("browser(): there is no debugger, as nobody can type here; print what you want to see")
      return(invisible())
    }
    frame <- parent.frame()
    cat("Called from: ", if (sys.parent() > 0L) short(sys.call(-1L)) else "top level", "\n", sep = "")
    repeat {
      line <- tryCatch(readline("Browse> "), error = function(condition) "c") # the input was ended
      if (line %in% c("", "c", "cont", "n", "s", "f")) break
      if (line == "Q") stop("left at browser()", call. = FALSE)
      tryCatch(print(eval(parse(text = line), frame)), error = function(condition) say_error(condition))
    }
    invisible()
  }
  no_debugger <- function(text) cat(text, "\n", sep = "", file = stderr())
  for (word in c("debug", "debugonce", "recover")) local({
    text <- paste0(word, "() cannot step through code here; ",
      if (typed) "put browser() where you want to look" else "print what you want to see")
    assign(word, function(...) no_debugger(text), envir = here)
  })
  here$undebug <- function(...) invisible()
  if (!typed) {
    options(editor = function(...) stop("nobody can use an editor here; write the change in code", call. = FALSE))
  }

  options(warn = 1, width = 100, menu.graphics = FALSE, pager = function(files, ...) {
    for (one in files) writeLines(gsub(".\b", "", readLines(one, warn = FALSE))) # bold and underlined letters
  }, browser = function(url) cat("open this in a browser: ", url, "\n", sep = ""))
  # install.packages() would ask for a mirror, and nobody can answer.
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) options(repos = c(CRAN = "https://cloud.r-project.org"))
  tell(event = "ready", version = paste(R.version$major, R.version$minor, sep = "."))
  suspendInterrupts(repeat {
    fields <- receive()
    if (is.null(fields) || fields[1L] == "quit") break
    if (fields[1L] == "run") run(as.integer(fields[2L]), fields[3L], fields[4L])
  })
})
