// Runs the examples of a page of documentation exactly as they are written: each is a block of shell and what it prints.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import { makeFolder } from './file-parts.ts';
import { patient } from './patience.ts';

export interface Example {
	readonly script: string;
	/** What the script prints, where `…` stands for anything within its line. */
	readonly output: string;
}

export interface Page {
	readonly text: string;
	readonly examples: readonly Example[];
	/** The number of blocks of shell, with output or without. */
	readonly shellBlocks: number;
}

/** Reads a page by its path below `docs/`. */
export function readPage(path: string): Page {
	const text = readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
	const found = [...text.matchAll(/^```sh\n(.*?)^```\n```text\n(.*?)^```$/gms)];
	return {
		text,
		examples: found.map(([, script, output]) => ({ script, output })),
		shellBlocks: (text.match(/^```sh$/gm) ?? []).length,
	};
}

const SEPARATOR = '\u001e';

/** Runs examples one after the other in one shell, in a folder of its own, and compares what each prints. */
export async function runExamples(
	t: ExecutionContext<unknown>,
	examples: readonly Example[],
	env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
	const session = examples.map(({ script }) => `${script}printf '\\036'\n`).join('');
	const { stdout, stderr } = await shell(`set -eu\n${session}`, env, makeFolder(t));
	const printed = stdout.split(SEPARATOR);
	t.is(printed.length, examples.length + 1, `the shell ended early: ${stderr}`);
	for (const [index, { script, output }] of examples.entries()) {
		t.regex(printed[index] ?? '', matcher(output), `${script}\n${stderr}`);
	}
}

function shell(script: string, env: Readonly<Record<string, string | undefined>>, cwd: string) {
	return new Promise<{ stdout: string; stderr: string }>((resolve) => {
		execFile('bash', ['--norc', '-c', script], { env, cwd, timeout: patient(90_000) }, (_error, stdout, stderr) => {
			resolve({ stdout, stderr });
		});
	});
}

function matcher(expected: string): RegExp {
	const escaped = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
	return new RegExp(`^${escaped.join('.*')}$`);
}
