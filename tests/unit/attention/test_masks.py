"""Masks, each against its rule spelled out for one query and one key."""

import pytest
import torch

from attention_core.attention import masks

LENGTHS = [(5, 5), (2, 5), (5, 2), (1, 7), (0, 3), (3, 0)]
RULES = {  # i: the query's position among the keys, j: the key's
    "causal": ((), lambda i, j: j <= i),
    "sliding_window": ((3,), lambda i, j: i - 3 < j <= i),
    "prefix": ((2,), lambda i, j: j < 2 or j <= i),
    "block": ((2,), lambda i, j: i // 2 == j // 2),
    "dilated": ((3,), lambda i, j: (i - j) % 3 == 0),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(("q_len", "k_len"), LENGTHS)
@pytest.mark.parametrize("align", [None, "bottom-right", "top-left"])
def test_a_pattern_is_its_rule(name, q_len, k_len, align):
    arguments, rule = RULES[name]
    found = getattr(masks, name)(q_len, k_len, *arguments, **({"align": align} if align else {}))
    first = 0 if align == "top-left" else k_len - q_len
    assert found.dtype == torch.bool and found.shape == (q_len, k_len)
    assert found.tolist() == [[rule(first + i, j) for j in range(k_len)] for i in range(q_len)]


def test_a_window_counts_the_current_token():
    assert masks.sliding_window(9, 9, 4).sum(-1).tolist() == [1, 2, 3, 4, 4, 4, 4, 4, 4]
    assert torch.equal(masks.sliding_window(9, 9, 1), torch.eye(9, dtype=torch.bool))
    assert torch.equal(masks.sliding_window(9, 9, 9), masks.causal(9, 9))


def test_a_decoded_token_sees_the_window_that_ends_with_it():
    assert masks.sliding_window(1, 7, 3).int().tolist() == [[0, 0, 0, 0, 1, 1, 1]]


@pytest.mark.parametrize("name", ["causal", "sliding_window", "prefix", "block", "dilated"])
def test_decoding_token_by_token_sees_what_the_whole_sees(name):
    arguments = RULES[name][0]
    whole = getattr(masks, name)(7, 7, *arguments)
    for token in range(7):
        assert torch.equal(getattr(masks, name)(1, token + 1, *arguments)[0], whole[token, : token + 1])


def test_padding_allows_as_many_keys_as_there_are_words():
    found = masks.padding(torch.tensor([[0, 2], [5, 3]]), 5)
    assert found.shape == (2, 2, 1, 5) and found.sum(-1)[..., 0].tolist() == [[0, 2], [5, 3]]
    assert found[0, 1, 0].int().tolist() == [1, 1, 0, 0, 0]


def test_masks_are_combined_as_sets():
    causal, window, block = masks.causal(7, 7), masks.sliding_window(7, 7, 2), masks.block(7, 7, 3)
    assert torch.equal(causal & window, window) and torch.equal(causal | window, causal)
    assert torch.equal(~(causal & block), ~causal | ~block)
    assert torch.equal(masks.prefix(7, 7, 0), causal)
    assert (masks.padding(torch.tensor([3]), 7) & causal).shape == (1, 7, 7)


def test_a_dilated_window_sees_as_many_keys_as_a_plain_one():
    found = masks.dilated(13, 13, 2) & masks.sliding_window(13, 13, 3 * 2)
    assert found[12].nonzero().flatten().tolist() == [8, 10, 12]
