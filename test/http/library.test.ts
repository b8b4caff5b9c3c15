import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { findLibraryFile } from '../../src/base/pages/library.ts';
import { generatePage, LIBRARY_PAGES, readPage } from '../helpers/generate-library.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const SHOP = { origin: 'https://shop.example' };

test('any page may load the library and its types; a version is kept for ever, the newest for an hour', async (t) => {
	const { app } = await openHttpApp(t);
	for (const [name, age] of [
		['tokendrop-1.js', 31_536_000],
		['tokendrop.js', 3600],
		['tokendrop.d.ts', 3600],
	] as const) {
		const { statusCode, headers, body } = await app.inject({ url: `/lib/${name}`, headers: SHOP });
		t.is(statusCode, 200, name);
		t.like(headers, { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
		t.true(String(headers['cache-control']).startsWith(`public, max-age=${age}`), name);
		t.true(body.includes('mountCardForm'));
		const packed = await app.inject({ url: `/lib/${name}`, headers: { ...SHOP, 'accept-encoding': 'gzip' } });
		t.is(packed.headers['content-encoding'], 'gzip');
		t.is(gunzipSync(packed.rawPayload).toString(), body);
		t.true(packed.rawPayload.length < 8 * 1024, `${packed.rawPayload.length} bytes`);
	}
	for (const name of ['tokendrop-2.js', 'tokendrop-0.js', 'tsconfig.json', '..%2Fpage.ts', 'tokendrop-1.js%00'])
		t.is((await app.inject(`/lib/${name}`)).statusCode, 404, name);
});

test('the docs and the example name the newest version with its hash', (t) => {
	const { integrity } = findLibraryFile('tokendrop.js')!;
	for (const path of LIBRARY_PAGES) {
		t.is(readPage(path), generatePage(path), 'run npm run generate:library');
		t.true(readPage(path).includes(`integrity="${integrity}"`), path);
	}
});
