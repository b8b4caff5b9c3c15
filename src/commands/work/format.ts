import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checked } from '../../engine/check-laws.ts';
import { EXIT, readOptionFile, table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import { showRemoved } from '../open-account.ts';

export function register(program: FramedCommand): void {
	const group = program.subcommand(
		'format',
		'plugins for formats of others: a program in one file, which says where the cards of a layout are',
	);
	group
		.subcommand('allow', 'allow a plugin in place of an earlier one of its format; daemons read it when they start')
		.argument('<file>', 'the plugin, a JavaScript module; - is standard input')
		.option('--sha256 <hash>', 'refuse the file unless it has this SHA-256')
		.run<{ sha256?: string }>(async (context, { sha256 }, file) => {
			const { allowPlugin } = await import('../../work/plugins/plugins.ts');
			const { systemClock: clock } = await import('../../base/clock.ts');
			const parts = await context.parts();
			const plugin = await readPluginFile(file!);
			if (sha256 !== undefined && sha256.toLowerCase() !== plugin.sha256)
				throw new UsageError(`the SHA-256 of the file is ${plugin.sha256}`);
			await allowPlugin({ ...parts, clock }, plugin, parts.actor);
			const { filter, title } = plugin.manifest;
			const text = `${filter} (${title}) is allowed, SHA-256 ${plugin.sha256}. Restart the daemons, so that they have its folders.`;
			context.output.show({ filter, title, sha256: plugin.sha256 }, text);
		});
	group.subcommand('list', 'the plugins that are allowed').run(async (context) => {
		const { listPlugins } = await import('../../work/plugins/plugins.ts');
		const plugins = await listPlugins(await context.parts());
		const rows = plugins.map(({ filter, title, sha256, allowedAt, allowedBy, isIntact }) => [
			...[filter, title, sha256, allowedAt, allowedBy],
			isIntact ? 'allowed' : 'changed in the database: not used',
		]);
		const headings = ['filter', 'title', 'SHA-256', 'allowed at', 'allowed by', 'state'];
		context.output.show(plugins, rows.length > 0 ? table(headings, rows) : 'No plugin is allowed.');
	});
	group
		.subcommand('remove', 'no longer allow a plugin; files of its format fail from the next one on')
		.argument('<filter>', 'the format, such as GALILEOMIR')
		.run(async (context, _, filter) => {
			const { removePlugin } = await import('../../work/plugins/plugins.ts');
			const parts = await context.parts();
			const removed = await removePlugin(parts, filter!, parts.actor);
			showRemoved(context, { filter }, removed, 'There was none.');
		});
	group
		.subcommand('check', 'run the laws of formats over samples of a plugin; allows nothing and stores nothing')
		.argument('<file>', 'the plugin; - is standard input')
		.requiredOption('--samples <dir>', 'a folder with files of the layout')
		.run<{ samples: string }>(async (context, { samples }, file) => {
			const { LawCheck } = await import('../../engine/check-laws.ts');
			const { pluginFormat } = await import('../../../formats/plugins/scanner.ts');
			const plugin = await readPluginFile(file!);
			const laws = new LawCheck(pluginFormat(plugin, { tellsPositions: true }), new Date());
			const checked: { sample: string; checked: Checked }[] = [];
			for (const name of await samplesIn(samples))
				checked.push({ sample: name, checked: await laws.check(await readFile(join(samples, name))) });
			const isSound = checked.every(({ checked: { broken } }) => broken.length === 0);
			const { filter } = plugin.manifest;
			const value = { filter, sha256: plugin.sha256, isSound, samples: checked.map(shown) };
			context.output.show(value, [...checked.flatMap(lines), `SHA-256 ${plugin.sha256}`].join('\n'));
			if (!isSound) context.exitCode = EXIT.failed;
		});
}

async function readPluginFile(file: string) {
	const { readPlugin } = await import('../../../formats/plugins/scanner.ts');
	const { formats } = await import('../../../formats/index.ts');
	const plugin = await readPlugin(await readOptionFile('<file>', file)).catch((error: Error) => {
		throw new UsageError(`${file}: ${error.message}`);
	});
	const { filter } = plugin.manifest;
	if (formats.has(filter)) throw new UsageError(`${file}: ${filter} is a format of our own; name the plugin otherwise`);
	return plugin;
}

async function samplesIn(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error): Dirent[] => {
		throw new UsageError(`--samples: ${error.message}`);
	});
	const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
	if (names.length === 0) throw new UsageError(`--samples: there is no file in ${folder}`);
	return names.sort();
}

const shown = ({ sample, checked }: { sample: string; checked: Checked }) => ({ sample, ...checked });

function lines({ sample, checked }: { sample: string; checked: Checked }): string[] {
	const { cards, otherNumbers, refusal, broken } = checked;
	const result = refusal === undefined ? `cards: ${cards}, numbers elsewhere: ${otherNumbers}` : `refused: ${refusal}`;
	return [`${sample}: ${result}`, ...broken.map(({ law, problem }) => `  broken: ${law}: ${problem}`)];
}
