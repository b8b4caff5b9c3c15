// Lists the drawings that are made from a run.

import type { BenchGroup } from '../../src/commands/installation/bench.ts';
import { tellBytes } from '../amounts.ts';
import { CLIENTS } from '../clients.ts';
import { DELIMITED, FILTERS } from '../files.ts';
import { tellNumber } from '../numbers.ts';
import { type BenchRun, figuresOf } from '../run-file.ts';
import { SESSIONS } from '../sessions.ts';
import { LARGEST, SIZES } from '../sizes.ts';
import { AREA, type Chart, classOf, framed, placeLabel } from './frame.ts';
import { drawLines } from './lines.ts';
import { element, textElement } from './svg.ts';

export interface Plot {
	/** The name of the file without its extension. */
	readonly name: string;
	readonly title: string;
	/** It is drawn if all of these were measured. */
	readonly groups: readonly BenchGroup[];
	draw(run: BenchRun): string;
}

/** The names of the figures of each series, one figure for each place. */
type SeriesNames = Readonly<Record<string, readonly string[]>>;

interface Told {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly unit: string;
	readonly across: string;
	readonly groups: readonly BenchGroup[];
	readonly series: SeriesNames;
}

function seriesOf(run: BenchRun, names: SeriesNames) {
	const figures = figuresOf(run);
	return Object.entries(names).map(([name, each]) => ({
		name,
		values: each.map((figure) => figures.get(figure)?.value),
	}));
}

const bars = (told: Told, places: readonly string[]): Plot => ({
	...told,
	draw: (run) => drawBars({ ...told, places, series: seriesOf(run, told.series) }),
});

const lines = (told: Told, places: readonly number[], label: (place: number) => string): Plot => ({
	...told,
	draw: (run) =>
		drawLines({
			...told,
			places: places.map((at) => ({ at, label: label(at) })),
			series: seriesOf(run, told.series),
		}),
});

const BOTH_WAYS = ['tokenize', 'detokenize'] as const;
const SIZE_PLACES = [...SIZES, LARGEST];
const WAYS = ['aes-gcm', 'aes-gcm, -B 261120', 'chacha20-poly1305'];
const VERBS = ['upload', 'download'] as const;

const formats = (name: string, title: string, kind: 'bytes' | 'cards', unit: string) =>
	bars(
		{
			...{ name, title, unit, groups: ['files'], across: 'format, on SQLite' },
			description: 'Two bars for each of the seven formats: tokenizing and detokenizing one file.',
			series: Object.fromEntries(
				BOTH_WAYS.map((way) => [way, FILTERS.map((filter) => `files/${filter}/${way}/${kind}`)]),
			),
		},
		FILTERS,
	);

const beside = (verb: 'upload' | 'download') => ({
	clients: bars(
		{
			...{ name: `clients-${verb}`, title: `Clients: ${verb} over sFTP`, unit: 'MB/s', across: 'client' },
			...{ groups: ['clients'], description: 'Two bars for each client: Tokendrop and the server of OpenSSH.' },
			series: {
				Tokendrop: Object.keys(CLIENTS).map((client) => `clients/${client}/${verb}/ours`),
				OpenSSH: Object.keys(CLIENTS).map((client) => `clients/${client}/${verb}/OpenSSH`),
			},
		},
		Object.keys(CLIENTS),
	),
	openssh: bars(
		{
			...{ name: `openssh-${verb}`, title: `One large file beside OpenSSH: ${verb}`, unit: 'MB/s' },
			...{ across: 'cipher and options of the client', groups: ['sftp'] },
			description: 'Two bars for each cipher: Tokendrop and the server of OpenSSH.',
			series: {
				Tokendrop: WAYS.map((way) => `sftp/${verb}/${way}/ours`),
				OpenSSH: WAYS.map((way) => `sftp/${verb}/${way}/OpenSSH`),
			},
		},
		WAYS,
	),
	sizes: lines(
		{
			...{ name: `sizes-${verb}`, title: `Lengths of files: ${verb} over sFTP`, unit: 'MB/s' },
			...{ across: 'length of the file', groups: ['sizes'] },
			description: 'Two lines over the length of the file: Tokendrop and the server of OpenSSH.',
			series: {
				Tokendrop: SIZE_PLACES.map((size) => `sizes/${verb}/${tellBytes(size)}/ours`),
				OpenSSH: SIZE_PLACES.map((size) => `sizes/${verb}/${tellBytes(size)}/OpenSSH`),
			},
		},
		SIZE_PLACES,
		tellBytes,
	),
});

const sessions = (name: string, title: string, unit: string, figures: readonly [ours: string, openssh: string]) =>
	lines(
		{
			...{ name, title, unit, across: 'sessions that upload at once', groups: ['sessions'] },
			description: 'Two lines over the number of sessions: Tokendrop and the server of OpenSSH.',
			series: {
				Tokendrop: SESSIONS.map((count) => `sessions/${count}/${figures[0]}`),
				OpenSSH: SESSIONS.map((count) => `sessions/${count}/${figures[1]}`),
			},
		},
		SESSIONS,
		String,
	);

const databases = (way: (typeof BOTH_WAYS)[number]) =>
	bars(
		{
			...{ name: `databases-${way}`, title: `SQLite beside PostgreSQL: ${way}`, unit: 'cards/s', across: 'format' },
			...{ groups: ['files', 'postgres'], description: 'Two bars for each delimited format, one for each database.' },
			series: {
				SQLite: DELIMITED.map((filter) => `files/${filter}/${way}/cards`),
				PostgreSQL: DELIMITED.map((filter) => `postgres/${filter}/${way}/cards`),
			},
		},
		DELIMITED,
	);

const [up, down] = VERBS.map(beside);

/** Every drawing, in the order of the page. */
export const PLOTS: readonly Plot[] = [
	formats('formats-bytes', 'Formats: MB a second', 'bytes', 'MB/s'),
	formats('formats-cards', 'Formats: cards a second', 'cards', 'cards/s'),
	databases('tokenize'),
	databases('detokenize'),
	bars(
		{
			...{ name: 'databases-http', title: 'Single cards stored over HTTP', unit: 'requests/s', across: 'database' },
			...{ groups: ['http'], description: 'A bar for each database.' },
			series: { 'store one card': ['http/store/SQLite/requests', 'http/store/PostgreSQL/requests'] },
		},
		['SQLite', 'PostgreSQL'],
	),
	bars(
		{
			...{ name: 'baselines', title: 'Beside scripts on the same PostgreSQL', unit: 'cards/s', across: 'program' },
			...{ groups: ['baselines'], description: 'A bar for each program that tokenizes the same file.' },
			series: { 'cards a second': ['baselines/python', 'baselines/pgcrypto', 'baselines/ours'] },
		},
		['Python', 'psql with pgcrypto', 'Tokendrop'],
	),
	...[up.openssh, down.openssh, up.sizes, down.sizes],
	sessions('sessions-rate', 'Sessions at once: rate of all together', 'MB/s', ['ours', 'OpenSSH']),
	sessions('sessions-memory', 'Sessions at once: memory', 'MB', ['memory ours', 'memory OpenSSH']),
	...[up.clients, down.clients],
];

const GAP_SHARE = 0.14;
const WIDEST = 90;

/** Draws bars side by side for each place, one for each series, with the value above it. */
export function drawBars(chart: Chart & { readonly places: readonly string[] }): string {
	const { places, series, unit } = chart;
	return framed(chart, places, (heightOf) => {
		const share = (AREA.right - AREA.left) / Math.max(1, places.length);
		const width = Math.min(WIDEST, (share * (1 - GAP_SHARE)) / Math.max(1, series.length));
		return places.flatMap((place, nth) => {
			const middle = AREA.left + share * (nth + 0.5);
			const first = middle - (width * series.length) / 2;
			const bars = series.flatMap(({ name, values }, n) =>
				bar({
					x: first + n * width,
					width,
					value: values[nth],
					heightOf,
					className: classOf(n),
					says: `${name}, ${place}`,
					unit,
				}),
			);
			return [...bars, placeLabel(middle, place)];
		});
	});
}

function bar(one: {
	readonly x: number;
	readonly width: number;
	readonly value: number | undefined;
	readonly heightOf: (value: number) => number;
	readonly className: string;
	/** What the bar shows, for those who point at it. */
	readonly says: string;
	readonly unit: string;
}): string[] {
	const { x, width, value, heightOf, className, says, unit } = one;
	const label = { x: x + width / 2, 'text-anchor': 'middle', 'font-size': 10.5 };
	if (value === undefined) return [textElement('text', { ...label, class: 'soft', y: AREA.bottom - 5 }, 'none')];
	// A value below zero has no bar; its number stands above the axis.
	const top = Math.min(AREA.bottom, heightOf(value));
	const title = textElement('title', {}, `${says}: ${tellNumber(value)} ${unit}`);
	return [
		element(
			'rect',
			{ class: `bar ${className}`, x: x + 1, y: top, width: width - 2, height: AREA.bottom - top },
			title,
		),
		textElement('text', { ...label, y: top - 5 }, tellNumber(Number(value.toPrecision(3)))),
	];
}
