//! Completions for shells, made of what `--help` is made of: one table, and what each shell
//! does with it.

use core::fmt::Write;

use argh::{ArgsInfo, CommandInfoWithArgs};
use evictd_config::Takes;
use evictd_node::Signal;

use crate::completions::{SHELLS, Shell};

use super::command::{Evictd, Known, Shown, flags_of_all};

/// What that shell is to read.
pub(crate) fn script(shell: Shell) -> String {
    // Single quotes: in fish they are escaped by a backslash, elsewhere left and begun anew.
    let (quote, glue) = match shell {
        Shell::Bash => ("'\\''", BASH),
        Shell::Zsh => ("'\\''", ZSH),
        Shell::Sh => ("'\\''", ""),
        Shell::Fish => ("\\'", FISH),
    };
    let table = table().replace('\'', quote);
    match shell {
        Shell::Fish => format!("set -g __evictd_table '{table}'{glue}"),
        Shell::Bash | Shell::Zsh | Shell::Sh => format!("_evictd_table='{table}'{WORDS}{glue}"),
    }
}

/// A line for each word that may follow: the command that it may follow (`*`: any), the word
/// (with `=` where a value follows, `=/` a path), and what it does.
fn table() -> String {
    let mut table = String::new();
    add_commands(&mut table, "", &Evictd::get_args_info());
    for known in Known::all() {
        for word in words_of(&known.name) {
            add(&mut table, &known.name, word, "");
        }
        known
            .shown()
            .for_each(|flag| add_flag(&mut table, &known.name, &flag));
    }
    flags_of_all().for_each(|flag| add_flag(&mut table, "*", &flag));
    table
}

/// What a command takes that is no flag, where there is a list of it.
fn words_of(command: &str) -> Vec<&'static str> {
    match command {
        "completions" => SHELLS.iter().map(|(shell, _)| *shell).collect(),
        "explain" => {
            let signals = Signal::ALL.into_iter();
            let signals = signals.filter(|signal| signal.is_configured());
            signals.map(Signal::name).collect()
        }
        _ => Vec::new(),
    }
}

fn add_commands(table: &mut String, name: &str, info: &CommandInfoWithArgs) {
    for of in &info.commands {
        add(table, name, of.name, of.command.description);
        let below = format!("{name} {}", of.name);
        add_commands(table, below.trim_start(), &of.command);
    }
}

fn add_flag(table: &mut String, command: &str, flag: &Shown) {
    let equals = match flag.takes {
        Takes::Bool => "",
        Takes::Value("FILE" | "DIR") => "=/",
        Takes::Value(_) | Takes::List(_) => "=",
    };
    add(
        table,
        command,
        &format!("--{}{equals}", flag.name),
        flag.help,
    );
}

fn add(table: &mut String, command: &str, word: &str, help: &str) {
    let help = help.split(". ").next().unwrap_or_default();
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    let _ = writeln!(table, "{command}|{word}|{}", help.trim_end_matches('.'));
}

/// A function that any shell has: `_evictd_lines gc im` prints the lines of the table whose
/// words may stand for the last one, `_evictd_words` the words alone.
const WORDS: &str = r#"
_evictd_lines() {
  _evictd_command= _evictd_last=
  for _evictd_word; do
    case $_evictd_last in
      -* | '') ;;
      *) _evictd_command="$_evictd_command${_evictd_command:+ }$_evictd_last" ;;
    esac
    _evictd_last=$_evictd_word
  done
  printf '%s' "$_evictd_table" | while IFS='|' read -r _evictd_of _evictd_word _evictd_help; do
    case $_evictd_of in '*' | "$_evictd_command") ;; *) continue ;; esac
    case $_evictd_word in
      "$_evictd_last"*) printf '%s|%s\n' "$_evictd_word" "$_evictd_help" ;;
    esac
  done
}
_evictd_words() {
  _evictd_lines "$@" | while IFS='|/' read -r _evictd_word _evictd_help; do
    printf '%s\n' "$_evictd_word"
  done
}
"#;

const BASH: &str = r#"
_evictd() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [ "$word" = = ] || [ "$before" = = ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "${word#=}")
    return
  fi
  mapfile -t COMPREPLY < <(_evictd_words "${COMP_WORDS[@]:1:COMP_CWORD}")
  case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
}
complete -o filenames -F _evictd evictd
"#;

const ZSH: &str = r#"
_evictd() {
  local -a plain valued
  local line
  if [[ $PREFIX == --*=* ]]; then
    compset -P '*='
    _files
    return
  fi
  for line in "${(@f)$(_evictd_lines "${(@)words[2,CURRENT-1]}" "$PREFIX")}"; do
    line=${line%%|*}:${line#*|}
    line="${line/=\/:/=:}"
    case $line in *=:*) valued+=("$line") ;; *) plain+=("$line") ;; esac
  done
  (( $#plain )) && _describe evictd plain
  (( $#valued )) && _describe evictd valued -S ''
}
compdef _evictd evictd
"#;

const FISH: &str = r#"
function __evictd_complete
  set -l words (commandline -opc)
  set -l command (string match -v -- '-*' $words[2..-1])
  set -l last (commandline -ct)
  for line in (string split \n -- $__evictd_table)
    set -l parts (string split '|' -- $line)
    if test (count $parts) = 3
      and contains -- $parts[1] '*' "$command"
      and string match -q -- "$last*" $parts[2]
      printf '%s\t%s\n' (string trim -r -c / -- $parts[2]) $parts[3]
    end
  end
end
complete -c evictd -f -a '(__evictd_complete)'
complete -c evictd -n 'string match -qr -- ^--.+= (commandline -ct)' -F
"#;
