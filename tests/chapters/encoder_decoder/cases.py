"""Answers to the exercises on the encoder and the decoder, right and wrong ones."""

import numpy as np
import torch


def layer(x, memory, attend, cross, feed_forward, norm):
    x = x + attend(norm(x))
    x = x + cross(norm(x), memory)
    return x + feed_forward(norm(x))


def without_sums(x, memory, attend, cross, feed_forward, norm):
    return feed_forward(norm(cross(norm(attend(norm(x))), memory)))


def norm_of_memory(x, memory, attend, cross, feed_forward, norm):
    x = x + attend(norm(x))
    x = x + cross(norm(x), norm(memory))
    return x + feed_forward(norm(x))


def cross_first(x, memory, attend, cross, feed_forward, norm):
    x = x + cross(norm(x), memory)
    x = x + attend(norm(x))
    return x + feed_forward(norm(x))


def changed_at(places, vocab=11):
    """Return an answer that changes the target at some places, one after the other."""

    def leaks(model, source, target):
        before = model(source, target)
        found = False
        for t in places(target.size(1)):
            other = target.clone()
            other[:, t] = (other[:, t] + 1) % vocab
            found |= not torch.equal(model(source, other)[:, :t], before[:, :t])
        return found

    return leaks


def of_the_first_text(model, source, target):
    """Looks at the first text of the batch alone."""
    return changed_at(lambda time: range(1, time))(model, source[:1], target[:1])


def seen_by(view, same=torch.equal):
    """Return an answer that compares what a view leaves of the earlier logits."""

    def leaks(model, source, target):
        before = model(source, target)
        for t in range(1, target.size(1)):
            other = target.clone()
            other[:, t] = (other[:, t] + 1) % 11
            if not same(view(model(source, other)[:, :t]), view(before[:, :t])):
                return True
        return False

    return leaks


def compared_at(seen, vocab=11):
    """Return an answer that changes each place, and compares some logits before it."""

    def leaks(model, source, target):
        before = model(source, target)
        for t in range(1, target.size(1)):
            other = target.clone()
            other[:, t] = (other[:, t] + 1) % vocab
            if not torch.equal(model(source, other)[:, seen(t)], before[:, seen(t)]):
                return True
        return False

    return leaks


def all_at_once(model, source, target):
    """Change all tokens after a place together, place by place."""
    before = model(source, target)
    for t in range(1, target.size(1)):
        other = target.clone()
        other[:, t:] = (other[:, t:] + 1) % 11
        if not torch.equal(model(source, other)[:, :t], before[:, :t]):
            return True
    return False


def in_numpy(model, source, target):
    before = model(source, target).numpy()
    changed = []
    for t in range(1, target.size(1)):
        other = target.clone()
        other[:, t] = (other[:, t] + 1) % 11
        changed.append((model(source, other).numpy()[:, :t] != before[:, :t]).any())
    return np.any(changed)


def last_logits(model, source, target):
    other = target.clone()
    other[:, -1] = 0
    return not torch.equal(model(source, other)[:, -1], model(source, target)[:, -1])


def by_more_than(tolerance):
    """Overlooks what moves the logits by less."""

    def leaks(model, source, target):
        before = model(source, target)
        for t in range(1, target.size(1)):
            other = target.clone()
            other[:, t] = (other[:, t] + 1) % 11
            moved = (model(source, other) - before)[:, :t].abs().max()
            if moved > tolerance:
                return True
        return False

    return leaks


def target_in_place(model, source, target):
    """The right answer, but the target that it is given is changed."""
    before = model(source, target)
    for t in reversed(range(1, target.size(1))):
        target[:, t] = (target[:, t] + 1) % 11
        if not torch.equal(model(source, target)[:, :t], before[:, :t]):
            return True
    return False


def added_in_place(x, memory, attend, cross, feed_forward, norm):
    x += attend(norm(x))
    x += cross(norm(x), memory)
    return x + feed_forward(norm(x))


def post_norm(x, memory, attend, cross, feed_forward, norm):
    x = norm(x + attend(x))
    x = norm(x + cross(x, memory))
    return norm(x + feed_forward(x))


def sums_of_the_norms(x, memory, attend, cross, feed_forward, norm):
    """Adds to what was normalized, not to the stream."""
    z = norm(x)
    z = norm(z + attend(z))
    z = norm(z + cross(z, memory))
    return z + feed_forward(z)


def side_by_side(x, memory, attend, cross, feed_forward, norm):
    z = norm(x)
    return x + attend(z) + cross(z, memory) + feed_forward(z)


def with_the_final_norm(x, memory, attend, cross, feed_forward, norm):
    return norm(layer(x, memory, attend, cross, feed_forward, norm))


def first_norm_alone(x, memory, attend, cross, feed_forward, norm):
    x = x + attend(norm(x))
    x = x + cross(x, memory)
    return x + feed_forward(x)


def norms_afterwards(x, memory, attend, cross, feed_forward, norm):
    """Normalizes what a sublayer writes."""
    x = x + norm(attend(x))
    x = x + norm(cross(x, memory))
    return x + norm(feed_forward(x))


def of_an_encoder(x, memory, attend, cross, feed_forward, norm):
    x = x + attend(norm(x))
    return x + feed_forward(norm(x))


def cross_with_itself(x, memory, attend, cross, feed_forward, norm):
    x = x + attend(norm(x))
    x = x + cross(norm(x), norm(x))
    return x + feed_forward(norm(x))


def one_skip_too_few(x, memory, attend, cross, feed_forward, norm):
    y = x + attend(norm(x))
    z = cross(norm(y), memory)
    return y + feed_forward(norm(z))


def memory_asks(x, memory, attend, cross, feed_forward, norm):
    x = x + attend(norm(x))
    x = x + cross(memory, norm(x)).mean(dim=0)
    return x + feed_forward(norm(x))


def memory_as_long_as_the_target(x, memory, *others):
    return layer(x, memory[: len(x)], *others)


def normed_twice(x, memory, attend, cross, feed_forward, norm):
    return layer(x, memory, attend, cross, feed_forward, lambda z: norm(norm(z)))


def set_to(id):
    """Changes each token into one and the same."""

    def leaks(model, source, target):
        before = model(source, target)
        for t in range(1, target.size(1)):
            other = target.clone()
            other[:, t] = id
            if not torch.equal(model(source, other)[:, :t], before[:, :t]):
                return True
        return False

    return leaks


def asked(output=0, change=lambda ids: (ids + 1) % 11, count=sum):
    """Return an answer that changes each token and watches some outputs."""

    def source_tokens(model, tokens):
        before, differs = model(tokens), []
        for place in range(tokens.size(1)):
            other = tokens.clone()
            other[:, place] = change(other[:, place])
            after = model(other)
            seen = (slice(None), *output) if isinstance(output, tuple) else (0, output)
            differs.append(not torch.equal(after[seen], before[seen]))
        return count(differs)

    return source_tokens


def last_place(differs):
    return max(place for place, differs in enumerate(differs) if differs)


def up_to_the_last(model, tokens):
    """Goes from the end to the first change that the first output notices."""
    before = model(tokens)[:, 0]
    for place in reversed(range(tokens.size(1))):
        other = tokens.clone()
        other[:, place] = (other[:, place] + 5) % 11
        if (model(other)[:, 0] - before).abs().max() > 1e-9:
            return torch.tensor(place + 1)
    return 0


def of_the_first_six(model, tokens):
    return asked()(
        lambda some: model(torch.cat([some, tokens[:, 6:]], 1)), tokens[:, :6]
    )


def moved_by_more_than(tolerance):
    """Counts the tokens that move the first output by more."""

    def source_tokens(model, tokens):
        before, count = model(tokens)[:, 0], 0
        for place in range(tokens.size(1)):
            other = tokens.clone()
            other[:, place] = (other[:, place] + 1) % 11
            count += bool((model(other)[:, 0] - before).abs().max() > tolerance)
        return count

    return source_tokens


def in_place(model, tokens):
    """Changes what it is given, and puts nothing back."""
    count, before = 0, model(tokens)[:, 0]
    for place in reversed(range(tokens.size(1))):
        tokens[:, place] = (tokens[:, place] + 1) % 11
        after = model(tokens)[:, 0]
        count, before = count + (not torch.equal(after, before)), after
    return count


RIGHT = [
    ("ex-encdec-by-hand", (4, 6, (7, 9), 260)),
    ("ex-encdec-layer", (layer,)),
    ("ex-encdec-leak", (changed_at(lambda time: range(1, time)),)),
    ("ex-encdec-leak", (all_at_once,)),
    ("ex-encdec-leak", (in_numpy,)),
    ("ex-encdec-leak", (by_more_than(1e-8),)),
    ("ex-encdec-which", ("same", "differs", "same", "same")),
    ("ex-encdec-border", (asked(),)),
    ("ex-encdec-border", (asked(count=lambda differs: last_place(differs) + 1),)),
    ("ex-encdec-border", (up_to_the_last,)),
    ("ex-encdec-border", (moved_by_more_than(1e-8),)),
]

WRONG = [
    ("ex-encdec-by-hand", (14 / 3, 6, (7, 9), 260), "ratio"),
    ("ex-encdec-by-hand", (4, 3, (7, 9), 260), "sum to one"),
    ("ex-encdec-by-hand", (4, 6, (9, 7), 260), "who asks"),
    ("ex-encdec-by-hand", (4, 6, (7, 9), 172), "two attentions"),
    ("ex-encdec-by-hand", (3.5, 6, (7, 9), 260), "ratio"),
    ("ex-encdec-by-hand", (4, 4, (7, 9), 260), "sum to one"),
    ("ex-encdec-by-hand", (4, 6, (9, 9), 260), "who asks"),
    ("ex-encdec-by-hand", (4, 6, (7, 7), 260), "who asks"),
    ("ex-encdec-by-hand", (4, 6, (7, 9), 252), "two attentions"),
    ("ex-encdec-by-hand", (4, 6, (7, 9), 180), "two attentions"),
    ("ex-encdec-layer", (lambda x, *_: x[0],), "shape"),
    ("ex-encdec-layer", (without_sums,), "missing around"),
    ("ex-encdec-layer", (norm_of_memory,), "as it is"),
    ("ex-encdec-layer", (cross_first,), "in order"),
    ("ex-encdec-layer", (post_norm,), "missing around"),
    ("ex-encdec-layer", (sums_of_the_norms,), "missing around"),
    ("ex-encdec-layer", (with_the_final_norm,), "missing around"),
    ("ex-encdec-layer", (one_skip_too_few,), "missing around"),
    ("ex-encdec-layer", (side_by_side,), "in order"),
    ("ex-encdec-layer", (first_norm_alone,), "in order"),
    ("ex-encdec-layer", (norms_afterwards,), "missing around"),
    ("ex-encdec-layer", (of_an_encoder,), "as it is"),
    ("ex-encdec-layer", (cross_with_itself,), "as it is"),
    ("ex-encdec-layer", (memory_asks,), "as it is"),
    ("ex-encdec-layer", (memory_as_long_as_the_target,), "or longer"),
    ("ex-encdec-layer", (normed_twice,), "in order"),
    ("ex-encdec-layer", (added_in_place,), "x itself must stay"),
    ("ex-encdec-leak", (by_more_than(0.1),), "a small leak"),
    ("ex-encdec-leak", (by_more_than(0.01),), "a small leak"),
    ("ex-encdec-leak", (seen_by(torch.Tensor.clone, torch.allclose),), "a small leak"),
    ("ex-encdec-leak", (of_the_first_text,), "one logit of one text"),
    ("ex-encdec-leak", (seen_by(lambda seen: seen[0]),), "one logit of one text"),
    ("ex-encdec-leak", (seen_by(lambda seen: seen[..., 0]),), "one logit of one text"),
    ("ex-encdec-leak", (seen_by(lambda seen: seen.amax(-1)),), "one logit of one text"),
    ("ex-encdec-leak", (changed_at(lambda time: range(1, 6)),), "any length"),
    ("ex-encdec-leak", (compared_at(lambda t: slice(min(t, 5))),), "any length"),
    ("ex-encdec-leak", (target_in_place,), "change a copy"),
    ("ex-encdec-leak", (lambda *_: "no",), "True or False"),
    ("ex-encdec-leak", (last_logits,), "must pass"),
    ("ex-encdec-leak", (lambda *_: False,), "all positions see all"),
    ("ex-encdec-leak", (changed_at(lambda time: (1, 4)),), "the last"),
    ("ex-encdec-leak", (changed_at(lambda time: (time - 1,)),), "position 4"),
    ("ex-encdec-leak", (compared_at(lambda t: slice(t - 1, t)),), "the last"),
    ("ex-encdec-leak", (compared_at(lambda t: slice(1)),), "the last"),
    (
        "ex-encdec-leak",
        (changed_at(lambda time: (time - 2, time - 1)),),
        "position 0 too",
    ),
    ("ex-encdec-leak", (changed_at(lambda time: range(2, time)),), "position 0 too"),
    ("ex-encdec-leak", (compared_at(lambda t: slice(1, t)),), "position 0 too"),
    (
        "ex-encdec-leak",
        (changed_at(lambda time: range(1, time, 2)),),
        "position 4",
    ),
    ("ex-encdec-leak", (set_to(0),), "to another id"),
    ("ex-encdec-leak", (set_to(1),), "to another id"),
    ("ex-encdec-leak", (set_to(10),), "to another id"),
    ("ex-encdec-which", ("same", "differs", "same"), "four times"),
    ("ex-encdec-which", ("differs", "differs", "same", "same"), "sees itself"),
    ("ex-encdec-which", ("same", "differs", "differs", "same"), "no order"),
    ("ex-encdec-which", ("same", "same", "same", "same"), "sees itself"),
    ("ex-encdec-which", ("differs", "same", "same", "same"), "sees itself"),
    ("ex-encdec-which", ("same", "differs", "same", "differs"), "no order"),
    ("ex-encdec-which", ("same", "differs", "differs", "differs"), "no order"),
    ("ex-encdec-border", (asked(output=-1),), "a decoder must give 1"),
    ("ex-encdec-border", (asked(output=slice(None)),), "a decoder must give 1"),
    ("ex-encdec-border", (asked(count=last_place),), "a decoder must give 1"),
    ("ex-encdec-border", (lambda model, tokens: tokens.size(1),), "give 1"),
    ("ex-encdec-border", (lambda model, tokens: 1,), "must give 6"),
    (
        "ex-encdec-border",
        (asked(count=lambda differs: 6 if differs[-1] else 1),),
        "its length",
    ),
    ("ex-encdec-border", (asked(output=1),), "a decoder must give 1"),
    ("ex-encdec-border", (asked(change=lambda ids: 0 * ids),), "another than it is"),
    (
        "ex-encdec-border",
        (asked(change=lambda ids: 0 * ids + 10),),
        "another than it is",
    ),
    ("ex-encdec-border", (in_place,), "change a copy"),
    ("ex-encdec-border", (of_the_first_six,), "more tokens than six"),
    ("ex-encdec-border", (moved_by_more_than(0.1),), "must give 6"),
    ("ex-encdec-border", (moved_by_more_than(0.01),), "however little"),
    ("ex-encdec-border", (moved_by_more_than(1e-5),), "however little"),
    ("ex-encdec-border", (asked(output=(0, 0)),), "one feature alone"),
]
