// @ts-check
// Keeps the live parts of a page as they are on the service. One stream of events says what kinds of things have changed;
// the parts that show them are then asked for again, at most once a second, and not while nobody sees the page.

import { leaveFor } from './portal-busy.js';
import { morph } from './portal-morph.js';
import { onShown } from './portal-shown.js';

const EVERY_MS = 1000;
/** A service that refuses the stream is asked again after this time. */
const REFUSED_MS = 30_000;

/**
 * @param {string} path the path of the portal
 */
export function startLive(path) {
	/** @type {EventSource | undefined} */
	let stream;
	/** Set if the service has ended the stream for good, until the reader comes back or goes on. */
	let isOver = false;
	/** The kinds that have changed since their parts were asked for. @type {Set<string>} */
	const due = new Set();
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	let lastAt = 0;

	const close = () => {
		stream?.close();
		stream = undefined;
	};
	const refreshSoon = () => {
		if (timer !== undefined) return;
		timer = setTimeout(
			async () => {
				timer = undefined;
				if (document.hidden) return;
				lastAt = Date.now();
				const kinds = new Set(due);
				due.clear();
				const parts = liveParts().filter((part) => kindsOf(part).some((kind) => kinds.has(kind)));
				for (const part of parts) if (!(await refresh(part))) for (const kind of kindsOf(part)) due.add(kind);
			},
			Math.max(0, lastAt + EVERY_MS - Date.now()),
		);
	};
	const open = () => {
		const opened = new EventSource(`${path}/live?refresh=1`);
		stream = opened;
		opened.addEventListener('changed', ({ data }) => {
			for (const kind of data.split(' ')) due.add(kind);
			refreshSoon();
		});
		opened.addEventListener('over', () => {
			isOver = true;
			close();
		});
		opened.addEventListener('ended', () => {
			isOver = true;
			close();
			const shown = (location.pathname + location.search).slice(path.lastIndexOf('/'));
			leaveFor(`${path}/login?${new URLSearchParams({ next: shown, ended: '1' })}`);
		});
		opened.addEventListener('error', () => {
			// The browser opens a stream that broke off by itself, but not one that was refused.
			if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
			close();
			setTimeout(follow, REFUSED_MS);
		});
	};
	/** Opens the stream for the first page that needs it, and closes it when nobody sees the page. */
	const follow = () => {
		if (document.hidden) close();
		else if (!stream && !isOver && liveParts().length > 0) open();
	};
	const begin = () => {
		isOver = false;
		follow();
	};
	document.addEventListener('visibilitychange', begin);
	addEventListener('pagehide', close);
	addEventListener('pageshow', follow);
	onShown(begin);
}

/** @returns {HTMLElement[]} */
function liveParts() {
	return [...document.querySelectorAll('[data-live]')].filter((part) => part instanceof HTMLElement);
}

/** @param {HTMLElement} part */
function kindsOf({ dataset }) {
	return (dataset.live ?? '').split(' ');
}

/**
 * Asks for a part again. Returns false if no answer came.
 *
 * @param {HTMLElement} part
 * @returns {Promise<boolean>}
 */
function refresh(part) {
	return new Promise((resolve) => {
		const request = new XMLHttpRequest();
		request.open('GET', part.dataset.href ?? '');
		request.responseType = 'document';
		request.setRequestHeader('x-portal-part', '1');
		request.addEventListener('load', () => {
			const login = request.getResponseHeader('x-portal-login');
			if (login) leaveFor(login);
			const next = request.status === 200 ? request.response?.getElementById(part.id) : undefined;
			if (next && part.isConnected) {
				morph(part, next);
				part.dispatchEvent(new Event('portal:changed', { bubbles: true }));
			}
			resolve(true);
		});
		request.addEventListener('error', () => resolve(false));
		request.send();
	});
}
