import type { Dice } from './dice.ts';
import type { Encoding } from './draft.ts';

/** Returns a name as some program would write it, such as in capitals, in snake, kebab or camel case, or with a colon. */
export function inStyle(dice: Dice, name: string, encoding: Encoding): string {
	const roll = dice.below(100);
	if (encoding === 'utf8' && roll < 4) return name.normalize('NFD');
	if (roll < 50) return name;
	if (roll < 60) return name.toUpperCase();
	if (roll < 68) return name.toLowerCase();
	if (roll < 76) return name.toLowerCase().replace(/[ .'’-]+/g, '_');
	if (roll < 82) return name.replace(/[ .'’]+/g, '-');
	if (roll < 88) return name.replace(/[ ]+/g, '.');
	if (roll < 92) return `${name}:`;
	if (roll < 94) return ` ${name} `;
	if (roll < 95) return `${name}*`;
	return camel(name);
}

/** Returns a name in camel case, such as `cardNumber` for `Card Number`; a name of one word stays as it is. */
export function camel(name: string): string {
	const words = name.split(/[^\p{L}\p{N}#°º]+/u).filter((word) => word !== '');
	if (words.length < 2) return name;
	return words
		.map((word, at) => (at === 0 ? word.toLowerCase() : word[0].toUpperCase() + word.slice(1).toLowerCase()))
		.join('');
}
