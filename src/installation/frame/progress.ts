// Shows a bar for long work with progress, speed and time left. It is drawn only on a terminal, so that logs and pipes
// do not contain it.

import type { TextSink } from './output.ts';

export interface Progress {
	/** Reports how much is done, and the total once it is known. */
	update(done: number, total?: number): void;
	/** Removes the bar, so that the following output is written in its place. Further calls do nothing. */
	end(): void;
}

export type ProgressUnit = 'bytes' | 'pages' | 'things';

const REDRAW_MS = 100;
const BAR = 24;
const CLEAR = '\r\u001b[K';
/** The weight of the last interval in the displayed speed, compared with the intervals before it. */
const WEIGHT = 0.2;

export const silentProgress: Progress = { update() {}, end() {} };

/** Opens a progress bar that is drawn on `sink` if that is a terminal. */
export function openProgress(
	sink: TextSink,
	label: string,
	unit: ProgressUnit,
	nowMs = () => performance.now(),
): Progress {
	if (sink.isTTY !== true) return silentProgress;
	let drawn = { atMs: nowMs(), done: 0 };
	let rate: number | undefined;
	let isDrawn = false;
	return {
		update(done, total) {
			const atMs = nowMs();
			const passedMs = atMs - drawn.atMs;
			if (passedMs < REDRAW_MS) return;
			const now = ((done - drawn.done) / passedMs) * 1000;
			rate = rate === undefined ? now : rate + WEIGHT * (now - rate);
			drawn = { atMs, done };
			isDrawn = true;
			const text = progressText({ label, unit, done, total, rate: Math.max(0, rate) });
			sink.write(`${CLEAR}${text.slice(0, (sink.columns ?? 80) - 1)}`);
		},
		end() {
			if (isDrawn) sink.write(CLEAR);
			isDrawn = false;
		},
	};
}

/** Returns a line such as `tokenizing [###### ] 25 % 12.3 MB/s 1:04 left`; of an unknown total only done and speed. */
export function progressText(state: {
	readonly label: string;
	readonly unit: ProgressUnit;
	readonly done: number;
	readonly total?: number;
	/** The amount done per second. */
	readonly rate: number;
}): string {
	const { label, unit, done, total, rate } = state;
	const speed = `${amount(rate, unit)}/s`;
	if (total === undefined || total <= 0) return `${label}  ${amount(done, unit)}  ${speed}`;
	const share = Math.min(1, Math.max(0, done / total));
	const bar = '#'.repeat(Math.floor(share * BAR)).padEnd(BAR);
	const left = rate > 0 ? `${duration((total - done) / rate)} left` : '';
	return `${label} [${bar}] ${Math.floor(share * 100)} %  ${speed}  ${left}`.trimEnd();
}

function amount(value: number, unit: ProgressUnit): string {
	if (unit !== 'bytes') return unit === 'things' ? value.toFixed(0) : `${value.toFixed(0)} ${unit}`;
	const power = value < 1e3 ? 0 : Math.min(4, Math.floor(Math.log10(value) / 3));
	return `${(value / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

function duration(seconds: number): string {
	const whole = Math.max(0, Math.round(seconds));
	const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
	const two = (value: number) => String(value).padStart(2, '0');
	return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
