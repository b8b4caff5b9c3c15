/**
 * The shapes are the ways in which a number and its token replace each other at one place. The shape is sealed with the
 * card, so that detokenizing restores the exact bytes.
 *
 * - `plain`: the number's bytes and the token's 32 characters are exchanged, and nothing else changes.
 * - `quoted`: the number was a bare JSON number; the token gets quotes, and detokenizing removes them.
 * - `columns`: the number is in fixed columns that are too narrow for a token (formats §4.3, option B). The columns are
 *   masked in place, and the tail ` TKN-<token>` is inserted at `sideStart`. Detokenizing restores the columns and
 *   removes the tail.
 * - `other`, `otherQuoted`: like `plain` and `quoted`, but for a number outside the card fields of the layout
 *   (`otherNumbers`), or beside other text in such a field. Detokenizing looks for tokens everywhere. Outside the card
 *   fields it restores only those whose cards have one of these two shapes.
 *
 * A stored card keeps the position of its shape in this list, so new shapes may only be added at the end.
 */
export const SHAPES = ['plain', 'quoted', 'columns', 'other', 'otherQuoted'] as const;
export type Shape = (typeof SHAPES)[number];
