import { stringify } from 'yaml';
import type { CardSelector, Profile } from './profile.ts';

/** Writes a profile as its author would: without defaults, and selectors that have only a path as that path. */
export function profileYaml(profile: Profile): string {
	const { hosts, namespaces, cards, cardInUri, ...rest } = profile;
	const written = {
		...rest,
		...(hosts.length > 0 && { hosts }),
		...(Object.keys(namespaces).length > 0 && { namespaces }),
		...(cardInUri && { cardInUri }),
		...(cards.length > 0 && { cards: cards.map(withShorthand) }),
	};
	return plainYaml(written);
}

/** Writes a value as YAML: every line as long as it is, nothing by reference, and nothing for what is undefined. */
export function plainYaml(value: object): string {
	return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, keepUndefined: false });
}

function withShorthand(selector: CardSelector): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(selector).map(([name, part]) => {
			const isPathAlone = typeof part === 'object' && Object.keys(part).length === 1;
			return [name, isPathAlone ? part.path : part];
		}),
	);
}
