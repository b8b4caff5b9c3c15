// Tests in a browser that uploads belong to the session: people walk through the portal while they go on, the network goes
// away and comes back, they are paused, cancelled and continued, and whoever leaves is asked first.

import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { violationsOf } from '../helpers/page-checks.ts';
import { type OpenedPortal, type PortalBrowser, portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';

const LINE = 'name,cardnumber,expiry\n';
const SLOW = 1_000_000;
/** A slow network holds a connection after so many bytes until it is faster, so that no test depends on the time of its steps. */
const HELD_AFTER = 1_500_000;

/** Returns a file of so many bytes, none of whose parts looks like another. */
function fileOf(name: string, bytes: number) {
	const lines = Array.from({ length: Math.ceil(bytes / 16) }, (_, n) => `${String(n).padStart(15, 'x')}\n`).join('');
	return { name, mimeType: 'text/csv', buffer: Buffer.from(LINE + lines).subarray(0, bytes) };
}

/**
 * Opens a way to the service on which bytes go there with a given rate. The emulation of a browser would only report them
 * later, after they were sent.
 */
async function openNetwork(t: ExecutionContext<unknown>, to: number) {
	const open = new Set<Socket>();
	let rate = Number.POSITIVE_INFINITY;
	const changes = new EventEmitter().setMaxListeners(0);
	const carry = async (from: Socket, target: Socket) => {
		let carried = 0;
		for await (const bytes of from as AsyncIterable<Buffer>) {
			for (let at = 0; at < bytes.length; at += 8_192) {
				const piece = bytes.subarray(at, at + 8_192);
				while (Number.isFinite(rate) && carried >= HELD_AFTER) await once(changes, 'rate');
				target.write(piece);
				carried += piece.length;
				if (Number.isFinite(rate)) await sleep((piece.length * 1000) / rate);
			}
		}
		target.end();
	};
	const server = createServer((socket) => {
		const there = connect(to, '127.0.0.1');
		for (const each of [socket, there]) {
			open.add(each);
			each.on('error', () => {});
			each.once('close', () => open.delete(each));
		}
		there.pipe(socket);
		socket.once('close', () => there.destroy());
		carry(socket, there).catch(() => there.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const cut = () => {
		for (const socket of open) socket.destroy();
	};
	t.teardown(() => {
		cut();
		server.close();
	});
	return {
		address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		cut,
		slow: (bytesPerSecond = Number.POSITIVE_INFINITY) => {
			rate = bytesPerSecond;
			changes.emit('rate');
		},
	};
}

/** Opens the page of files for a clerk, with a network whose speed and presence can be set. */
async function openFiles(t: ExecutionContext<unknown>, portal: PortalBrowser, opened?: OpenedPortal) {
	const clerk = opened ?? (await portal.open('clerk'));
	const { page } = clerk;
	const { address, slow, cut } = await openNetwork(t, Number(new URL(portal.base).port));
	await page.goto(`${address}/portal/files`);
	await page.selectOption('#folder', 'tokenize/CSV');
	const posted: number[] = [];
	page.on('request', (request) => {
		const url = new URL(request.url());
		if (request.method() === 'POST' && url.searchParams.has('offset'))
			posted.push(Number(url.searchParams.get('offset')));
	});
	return {
		...clerk,
		/** The offsets from which bytes were sent, in their order. */
		posted,
		/** Says whether there is a network, and how many bytes a second it carries to the service. */
		async network(isThere: boolean, bytesPerSecond?: number) {
			if (isThere) slow(bytesPerSecond);
			await page.context().setOffline(!isThere);
			if (!isThere) cut();
		},
		send: async (...files: ReturnType<typeof fileOf>[]) => {
			await page.setInputFiles('#file', files);
			await page.getByRole('button', { name: 'Send', exact: true }).click();
		},
	};
}

const rowOf = (page: Page, name: string) => page.locator('#uploads li', { hasText: name });

/** Waits until so much of a file was sent. */
async function sent(page: Page, name: string, bytes: number): Promise<void> {
	const bar = page.getByRole('progressbar', { name });
	const done = () => bar.evaluate((element) => (element as unknown as { value: number }).value);
	await bar.waitFor();
	while ((await done()) <= bytes) await page.waitForTimeout(20);
}

/** Returns the bytes that the service has of the input of the only job of a name. */
async function receivedOf({ parts }: PortalBrowser, { person }: OpenedPortal, name: string): Promise<Buffer> {
	const folder = { accountId: person.caller!.account.id, area: 'tokenize', filter: 'CSV' } as const;
	const file = (await parts.drops.find(folder, name))!;
	const reader = await parts.drops.open(folder, file);
	try {
		return await reader.read(0, file.size);
	} finally {
		await reader.close();
	}
}

pageTest('an upload goes on while its sender walks through the portal, and no byte is lost', async (t) => {
	const portal = await portalBrowser(t);
	const opened = await openFiles(t, portal);
	const { page, network, send, posted, complaints } = opened;
	const file = fileOf('walk.csv', 4_000_000);
	await network(true, SLOW);
	await send(file);
	await sent(page, 'walk.csv', 0);
	let loads = 0;
	page.on('load', () => loads++);
	for (const section of ['Overview', 'Cards', 'Card requests', 'Folders', 'My settings']) {
		await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section, exact: true }).click();
		await page.locator(`nav a[aria-current]:text-is("${section}")`).waitFor();
		t.is(await page.evaluate('document.activeElement.tagName'), 'H1', section);
		t.regex(await page.title(), new RegExp(await page.locator('h1').innerText()));
		t.true(await page.getByRole('region', { name: 'Uploads' }).isVisible(), section);
		t.true(await page.getByRole('progressbar', { name: 'walk.csv' }).isVisible(), section);
	}
	t.regex(await rowOf(page, 'walk.csv').locator('.figures').innerText(), /^\d+% · [\d.]+ [kM]B\/s · \d+ sec left$/);
	t.deepEqual(await violationsOf(page), []);
	t.is(new URL(page.url()).pathname, '/portal/me');
	await page.goBack();
	await page.locator('nav a[aria-current]:text-is("Folders")').waitFor();
	t.is(new URL(page.url()).pathname, '/portal/folders');
	await page.goForward();
	await page.locator('nav a[aria-current]:text-is("My settings")').waitFor();
	await network(true);
	await page.getByRole('link', { name: 'accepted: see what becomes of it' }).click();
	await page.locator('h1:text-is("walk.csv")').waitFor();
	t.is(loads, 0);
	t.deepEqual(posted, [0]);
	t.true((await receivedOf(portal, opened, 'walk.csv')).equals(file.buffer));
	await page.getByRole('button', { name: 'Close: walk.csv' }).click();
	t.false(await page.locator('#tray').isVisible());
	t.deepEqual(complaints, []);
});

pageTest('forms of the portal load into the same document, with what they refuse and what they answer', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show } = await portal.open('manager');
	await show('/portal/cards');
	await page.evaluate('globalThis.isSame = true');
	await page.fill('#reference', '4111111111111111');
	await page.getByRole('button', { name: 'Search' }).click();
	await page.locator('#reference-problem').waitFor();
	t.is(new URL(page.url()).pathname, '/portal/cards');
	await page.fill('#reference', 'booking-1');
	await page.getByRole('button', { name: 'Search' }).click();
	await page.waitForURL(/reference=booking-1/);
	await page.selectOption('#language', 'de');
	await page.getByRole('button', { name: 'Choose' }).click();
	await page.locator('html[lang=de]').waitFor();
	t.true(await page.evaluate('isSame'));
	await page.getByRole('button', { name: 'Abmelden' }).click();
	await page.waitForURL(/\/portal\/login/);
	t.is(await page.evaluate('typeof isSame'), 'undefined');
});

pageTest('a network that goes away is said at once, and the upload goes on by itself when it is back', async (t) => {
	const portal = await portalBrowser(t);
	const opened = await openFiles(t, portal);
	const { page, network, send, posted } = opened;
	const file = fileOf('away.csv', 3_000_000);
	await network(true, SLOW);
	await send(file);
	const folder = { accountId: opened.person.caller!.account.id, area: 'tokenize', filter: 'CSV' } as const;
	const kept = async () => (await portal.parts.drops.find(folder, 'away.csv'))?.size ?? 0;
	await until('a part of the file', async () => (await kept()) > 200_000);
	await network(false);
	await page.getByText('No connection. It goes on by itself').waitFor();
	await page.getByRole('link', { name: 'Folders' }).first().click();
	await page.getByText('The service cannot be reached. Nothing is lost').waitFor();
	await network(true);
	await page.getByRole('link', { name: 'accepted: see what becomes of it' }).waitFor();
	t.is(posted[0], 0);
	t.true(posted.at(-1)! > 0, 'what came was not sent again from the start');
	t.true((await receivedOf(portal, opened, 'away.csv')).equals(file.buffer));
});

pageTest(
	'of two files one is paused and the other goes on; the paused one is continued, another one cancelled',
	async (t) => {
		const portal = await portalBrowser(t);
		const opened = await openFiles(t, portal);
		const { page, network, send } = opened;
		const [one, two] = [fileOf('one.csv', 3_000_000), fileOf('two.csv', 100_000)];
		await network(true, SLOW);
		await send(one, two);
		await sent(page, 'one.csv', 300_000);
		t.regex(await rowOf(page, 'two.csv').innerText(), /waiting/);
		await page.getByRole('button', { name: 'Pause: one.csv' }).click();
		await rowOf(page, 'two.csv')
			.getByRole('link', { name: /accepted/ })
			.waitFor();
		t.regex(await rowOf(page, 'one.csv').innerText(), /paused/);
		await network(true);
		await page.getByRole('button', { name: 'Go on: one.csv' }).click();
		await rowOf(page, 'one.csv')
			.getByRole('link', { name: /accepted/ })
			.waitFor();
		t.true((await receivedOf(portal, opened, 'one.csv')).equals(one.buffer));
		t.true((await receivedOf(portal, opened, 'two.csv')).equals(two.buffer));

		await network(true, SLOW);
		await send(fileOf('three.csv', 3_000_000));
		await sent(page, 'three.csv', 300_000);
		await page.getByRole('button', { name: 'Cancel: three.csv' }).click();
		t.is(await rowOf(page, 'three.csv').count(), 0);
		await network(true);
		const { knex } = portal.parts.database;
		await until('its removal', async () => (await knex('drop_files').where({ name: 'three.csv' })).length === 0);
		t.is((await knex('audit').where({ action: 'file.remove' })).length, 1);
	},
);

pageTest('an interrupted file stands in the list, and goes on with the same file only', async (t) => {
	const portal = await portalBrowser(t);
	const clerk = await portal.open('clerk');
	const file = fileOf('broken.csv', 3_000_000);
	const { person } = clerk;
	const folder = { accountId: person.caller!.account.id, area: 'tokenize', filter: 'CSV' } as const;
	const { drops } = portal.parts;
	const broken = await drops.begin({ folder, name: 'broken.csv', createdBy: person.caller!.account.userId });
	await broken.write(0, file.buffer.subarray(0, 2_500_000));
	await drops.pause(broken);
	const { page, posted } = await openFiles(t, portal, clerk);
	t.regex(await page.getByRole('table', { name: /Interrupted uploads/ }).innerText(), /broken\.csv.*2\.5 MB/s);
	t.deepEqual(await violationsOf(page), []);
	const choose = async (buffer: Buffer) => {
		const chooser = page.waitForEvent('filechooser');
		await page.getByRole('button', { name: 'Continue: broken.csv' }).click();
		await (await chooser).setFiles({ ...file, name: 'copy.csv', buffer });
	};
	// The two differ in their middle only, which the bytes that are sent again would not show.
	const other = Buffer.from(file.buffer);
	other[1_234_567] = 0x21;
	await choose(other);
	await page.getByText('Another file of this name was begun earlier').waitFor();
	t.deepEqual(posted, []);
	await page.getByRole('button', { name: 'Close: broken.csv' }).click();
	await choose(file.buffer.subarray(0, 1_000_000));
	await page.getByText('Another file of this name was begun earlier').waitFor();
	await page.getByRole('button', { name: 'Close: broken.csv' }).click();
	await choose(file.buffer);
	await page.getByRole('link', { name: /accepted/ }).waitFor();
	t.deepEqual(posted, [2_500_000 - 65_536]);
	t.true((await receivedOf(portal, clerk, 'broken.csv')).equals(file.buffer));
	await page.getByRole('table', { name: /Interrupted uploads/ }).waitFor({ state: 'detached' });
});

pageTest('whoever signs out or leaves during an upload is asked first', async (t) => {
	const portal = await portalBrowser(t);
	const { page, network, send } = await openFiles(t, portal);
	const asked: string[] = [];
	page.on('dialog', (dialog) => {
		asked.push(dialog.type());
		void (asked.length < 3 ? dialog.dismiss() : dialog.accept());
	});
	await network(true, SLOW);
	await send(fileOf('leave.csv', 6_000_000));
	await sent(page, 'leave.csv', 0);
	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.waitForTimeout(300);
	t.deepEqual(asked, ['beforeunload']);
	t.true(await page.getByRole('progressbar', { name: 'leave.csv' }).isVisible());
	// A page outside of the portal gets a window of its own, so that nobody is asked.
	const [help] = await Promise.all([
		page.context().waitForEvent('page'),
		page.getByRole('link', { name: 'Help with this page' }).click(),
	]);
	await help.close();
	t.is(asked.length, 1);
	await page.evaluate('location.reload()').catch(() => {});
	await page.waitForTimeout(300);
	t.is(asked.length, 2);
	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.waitForURL(/\/portal\/login/);
	t.deepEqual(asked, Array(3).fill('beforeunload'));
});

pageTest(
	'a file that another daemon holds yet goes on by itself, as does one that the service could not take',
	async (t) => {
		const portal = await portalBrowser(t);
		const opened = await openFiles(t, portal);
		const { page, send } = opened;
		const file = fileOf('held.csv', 200_000);
		let asked = 0;
		await page.route(/\/portal\/upload\//, (route) => {
			asked++;
			if (asked === 1) return route.fulfill({ status: 503, body: '' });
			const held = { problem: 'another session is sending this file right now', isHeld: true };
			return asked === 2 ? route.fulfill({ status: 400, json: held }) : route.continue();
		});
		await send(file);
		await page.getByText('interrupted, trying again').waitFor();
		await page.getByRole('link', { name: 'accepted: see what becomes of it' }).waitFor();
		t.true((await receivedOf(portal, opened, 'held.csv')).equals(file.buffer));
	},
);

pageTest('links within a page, and the way back from them, stay in the page', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show } = await portal.open('clerk');
	await page.setViewportSize({ width: 1280, height: 300 });
	await show('/portal/files');
	const scrolled = () => page.evaluate<number>('scrollY');
	await page.evaluate(
		`document.querySelector('main').insertAdjacentElement('afterbegin', Object.assign(document.createElement('a'), { href: '#folders', textContent: 'to folders' }))`,
	);
	await page.getByRole('link', { name: 'to folders' }).click();
	await page.waitForURL(/#folders$/);
	const far = await scrolled();
	t.true(far > 100);
	// A click of this library would scroll to the link first.
	await page.getByRole('link', { name: 'Overview' }).dispatchEvent('click');
	await page.locator('nav a[aria-current]:text-is("Overview")').waitFor();
	t.is(await scrolled(), 0);
	await page.goBack();
	await page.locator('nav a[aria-current]:text-is("Files")').waitFor();
	t.is(await scrolled(), far);
	t.regex(page.url(), /#folders$/);
});

pageTest('a file whose answer was lost is not sent a second time', async (t) => {
	const portal = await portalBrowser(t);
	const { page, send, posted } = await openFiles(t, portal);
	await page.route(/offset=0/, async (route) => {
		await route.fetch();
		await route.abort();
	});
	await send(fileOf('lost.csv', 100_000));
	await page.getByRole('link', { name: 'accepted: see what becomes of it' }).waitFor();
	t.deepEqual(posted, [0]);
	t.is((await portal.parts.database.knex('jobs')).length, 1);
});
