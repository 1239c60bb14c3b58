// The programs of the machine that judge files of deploy/, and the reading of YAML by one of them.
import { execFileSync, spawnSync } from 'node:child_process'

const PYTHON = '/usr/bin/python3'

/** For `skip`: why the program does not run here. */
export const without = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args).status === 0 ? false : `NOT RUN: this machine has no ${program}`

export const noYaml = without(PYTHON, '-c', 'import yaml')

/** The documents of a file, as Kubernetes reads them: by YAML 1.1. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any document
export function documentsOf(text: string): any[] {
  const script = 'import json,sys,yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))'
  return JSON.parse(execFileSync(PYTHON, ['-c', script], { encoding: 'utf8', input: text }))
}
