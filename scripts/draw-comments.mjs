// Draws comments of all our code, tests included, at random. Each is shown without its code, to see whether a stranger
// understands it alone:
// node scripts/draw-comments.mjs [seed] [count]

import { readdirSync, readFileSync } from 'node:fs';
import { readComments } from './comments.mjs';

const [seedText = String(Date.now() % 100_000), countText = '100'] = process.argv.slice(2);

/** Makes a repeatable sequence of random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const comments = ['src', 'formats', 'bench', 'test', 'examples']
	.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => `${folder}/${name}`))
	.filter((file) => file.endsWith('.ts') && !file.includes('/generated/'))
	.sort()
	.flatMap((file) =>
		readComments(readFileSync(file, 'utf8'))
			.filter(({ text }) => !text.startsWith('biome-ignore'))
			.map(({ line, text }) => `${file}:${line}: ${text.replace(/\s+/g, ' ')}`),
	);
const random = randomFrom(Number(seedText));
console.log(`seed ${seedText}, ${countText} of ${comments.length} comments`);
for (let drawn = 0; drawn < Number(countText) && comments.length > 0; drawn++) {
	const [comment] = comments.splice(Math.floor(random() * comments.length), 1);
	console.log(comment);
}
