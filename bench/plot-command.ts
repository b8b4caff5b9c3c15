import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { EXIT } from '../src/installation/frame/command.ts';
import { fillPage, plotsOf } from './plot/page.ts';
import { PLOTS } from './plot/plots.ts';
import { readRun, writeRun } from './run-file.ts';

/**
 * Draws a run into a folder, and writes the run beside the drawings. If a page with the folder's name is next to the
 * folder, fills in its tables. Returns the exit code.
 */
export function plotCommand(runPath: string, folder: string): number {
	const run = readRun(runPath);
	mkdirSync(folder, { recursive: true });
	const drawn = plotsOf(run);
	for (const { name } of PLOTS) rmSync(join(folder, `${name}.svg`), { force: true });
	for (const { name, draw } of drawn) writeFileSync(join(folder, `${name}.svg`), draw(run));
	writeRun(join(folder, 'run.json'), run);
	const page = `${resolve(folder)}.md`;
	const hasPage = existsSync(page);
	if (hasPage) writeFileSync(page, fillPage(readFileSync(page, 'utf8'), basename(resolve(folder)), run));
	process.stdout.write(`${drawn.length} drawings in ${folder}${hasPage ? `, and the tables of ${page}` : ''}\n`);
	return EXIT.ok;
}
