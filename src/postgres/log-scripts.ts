// The files by which the server of the embedded database copies its log to the archive, and reads
// it back in a recovery. The server runs both scripts in the cluster's folder. Pure.
import type { Instant } from '../values/instant.ts'

/** Names the archive: a script reads its first two lines, and PostgreSQL the rest. */
export const ARCHIVE_FILE = 'corridor.archive'
/** The newest segment that the archive lacks: a backup must begin after it. Or NOT_YET. */
export const LOST_FILE = 'corridor.archive.lost'
/** PostgreSQL has archived nothing yet: it archives from its next start on. */
export const NOT_YET = 'not yet'
/** Names the archive that a recovery reads. */
export const RECOVERY_FILE = 'corridor.recovery'

export const SEGMENT_BYTES = 16 * 1024 * 1024

/** A segment of the log: timeline, and number in two parts. */
export const SEGMENT = /^[0-9A-F]{24}$/

/** Ends the settings of each cluster. With empty files nothing is archived or recovered. */
export const LOG_SETTINGS = `archive_mode = on
archive_command = '/bin/sh corridor-archive.sh "%p" "%f"'
include = '${ARCHIVE_FILE}'
include = '${RECOVERY_FILE}'
`

/**
 * A segment gets its name when it is whole and on disk. The same name is taken again only with the
 * same content. Two copies may run at once, as a kill of the server ends no script. A folder that
 * takes nothing makes PostgreSQL keep the segments, until too many wait or the disk is nearly full:
 * then the segment is given up, so that payouts go on.
 */
const ARCHIVE_SCRIPT = `# Written by corridor. Archives the segment $1 of the log as $2.
[ -s ${ARCHIVE_FILE} ] || exit 0
{ IFS= read -r folder; IFS= read -r most; } < ${ARCHIVE_FILE}
folder=\${folder#"# "}
most=\${most#"# "}
kept="$folder/$2.gz"
part="$folder/.$2.$$.part"

flush() {
  if sync ${ARCHIVE_FILE} 2> /dev/null; then sync "$1"; else sync; fi
}

keep() {
  if [ -e "$kept" ]; then
    gzip -dc "$kept" | cmp -s - "$1" && return 0
    echo "corridor: $kept is there already, with another content" >&2
    return 1
  fi
  gzip -1c "$1" > "$part" && flush "$part" && mv "$part" "$kept" && flush "$folder"
}

keep "$1" && rm -f "$folder/.$2".*.part && exit 0
waiting=$(ls pg_wal/archive_status | grep -c '[.]ready$')
free_kib=$(df -Pk . | { read -r _; read -r _ _ _ free _; echo "$free"; })
[ "$waiting" -gt "$most" ] || [ "\${free_kib:-1048576}" -lt 1048576 ] || exit 1
echo "corridor: $2 is given up: the archive has a gap" >&2
case $2 in
  *.*) ;;
  *) echo "$2" > ${LOST_FILE} ;;
esac
exit 0
`

/** An exit code above 125 ends the recovery; 1 says that the archive ends here. */
const RECOVERY_SCRIPT = `# Written by corridor. Reads the file $1 of the archive into $2.
IFS= read -r folder < ${RECOVERY_FILE} || exit 200
folder=\${folder#"# "}
[ -f "$folder/$1.gz" ] || exit 1
gzip -dc "$folder/$1.gz" > "$2" || exit 200
`

export const LOG_SCRIPTS: Readonly<Record<string, string>> = {
  'corridor-archive.sh': ARCHIVE_SCRIPT,
  'corridor-restore.sh': RECOVERY_SCRIPT,
}

/** The text of ARCHIVE_FILE. `most` segments may wait. At most a minute is not in the archive. */
export function archiveText(folder: string, most: number): string {
  return `# ${folder}\n# ${most}\narchive_timeout = 60\n`
}

/** The text of RECOVERY_FILE. `to`: null recovers to the end of the log. */
export function recoveryText(folder: string, to: Instant | null): string {
  // PostgreSQL reads no Z here.
  const target = to === null ? '' : `recovery_target_time = '${to.slice(0, -1)}+00'\n`
  return `# ${folder}
restore_command = '/bin/sh corridor-restore.sh "%f" "%p"'
recovery_target_timeline = 'latest'
recovery_target_action = 'promote'
${target}`
}

/** The folder that the first line names; undefined for another text. */
export function folderIn(text: string): string | undefined {
  return /^# (\/.+)$/m.exec(text)?.[1]
}

/** The number of a segment within its timeline. */
export function segmentNumber(name: string): number {
  return Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16)
}

/** The segment with this number on the timeline of `like`. */
export function segmentName(like: string, number: number): string {
  const hex = (part: number) => part.toString(16).toUpperCase().padStart(8, '0')
  return like.slice(0, 8) + hex(Math.floor(number / 256)) + hex(number % 256)
}

/** The first segment that is missing between `first` and the last of them; undefined for none. */
export function findGap(names: readonly string[], first: string): string | undefined {
  const timeline = first.slice(0, 8)
  const from = segmentNumber(first)
  const of_timeline = names.filter(name => SEGMENT.test(name) && name.startsWith(timeline))
  // A segment may be in the backup and in the archive.
  const numbers = [...new Set(of_timeline.map(segmentNumber))]
    .filter(number => number >= from)
    .sort((a, b) => a - b)
  const at = numbers.findIndex((number, i) => number !== from + i)
  return at === -1 ? undefined : segmentName(first, from + at)
}

/** Where a position of the log, such as `0/1A000028`, is: the number of its segment. */
export function segmentOf(position: string): number {
  const [high = '', low = ''] = position.split('/')
  // The end of a segment belongs to it, not to the next.
  const bytes = Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16) - 1
  return Math.floor(bytes / SEGMENT_BYTES)
}
