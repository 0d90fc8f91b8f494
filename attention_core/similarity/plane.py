"""The plane that two vectors span, in which lengths and angles are the true ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import ScoringError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Plane:
    """Two directions at right angles, and what must be said about them.

    Attributes:
        basis: (2, d), rows of length 1 at right angles; with d = 1 the second row is 0.
        note: why the second direction says nothing about the vectors, or "".
    """

    basis: Floats
    note: str = ""

    @property
    def turns(self) -> bool:
        """Whether there is room to turn: not on a line, where d = 1."""
        return len(self.basis[0]) > 1

    def coordinates(self, vectors: Floats) -> Floats:
        """(..., d) -> (..., 2): where the vectors lie in the plane, in their own unit of length."""
        coordinates: Floats = vectors @ self.basis.T
        return coordinates

    def points(self, coordinates: Floats) -> Floats:
        """(..., 2) -> (..., d): the vectors at these places of the plane."""
        points: Floats = coordinates @ self.basis
        return points

    def turned(self, vectors: Floats, degrees: float | Floats) -> Floats:
        """The vectors (..., d) turned in the plane, counterclockwise as it is drawn; what lies outside it stays.

        Args:
            vectors: (..., d).
            degrees: one angle, or one for each of n copies: (n,) with one vector (d,) gives (n, d).

        Raises:
            ScoringError: on a line, which has no room to turn.
        """
        angles = np.radians(degrees)
        if not self.turns and np.any(angles):
            raise ScoringError("Vectors of 1 component lie on a line and cannot be turned. Leave the degrees at 0.")
        x, y = np.moveaxis(self.coordinates(vectors), -1, 0)
        cos, sin = np.cos(angles), np.sin(angles)
        moved = np.stack([cos * x - sin * y - x, sin * x + cos * y - y], axis=-1)
        return vectors + self.points(moved)


def plane_of(a: Floats, b: Floats) -> Plane:
    """The plane of a and b: for d = 2 that of the components themselves, else the first direction is that of a.

    The second is b made perpendicular to the first (Gram-Schmidt, done twice; Giraud et al. 2005), so that b lies on
    its positive side. Where b leaves it open (zero or parallel vectors), an axis of the space is taken instead.

    Args:
        a: (d,) finite.
        b: (d,) finite.

    Example:
        >>> plane = plane_of(np.array([3.0, 0.0, 4.0]), np.array([0.0, 2.0, 0.0]))
        >>> plane.basis.round(1).tolist(), plane.coordinates(np.array([3.0, 2.0, 4.0])).round(1).tolist()
        ([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]], [5.0, 2.0])
    """
    d = len(a)
    if d == 1:
        return Plane(np.array([[1.0], [0.0]]), "vectors of one component lie on a line, and no plane is spanned")
    if d == 2:
        return Plane(np.eye(2))
    given = [unit(vector) for vector in (a, b) if vector.any()]
    first = given[0] if given else np.eye(1, d)[0]
    axis = np.eye(1, d, int(np.argmin(np.abs(first))))[0]  # the axis farthest from the first direction
    for candidate in (*given[1:], axis):
        across = candidate - (candidate @ first) * first
        sine = float(np.linalg.norm(across))
        if sine > 4 * np.finfo(np.float64).eps * d:
            across -= (across @ first) * first
            return Plane(np.stack([first, unit(across)]), _note(given, candidate is axis))
    raise AssertionError("an axis is never parallel to a direction of which it is the smallest component")


def _note(given: list[Floats], free: bool) -> str:
    if not free:
        return ""
    if len(given) == 2:
        return "parallel vectors lie in many planes, of which one is drawn"
    zero = "one of the vectors is zero" if given else "both vectors are zero"
    return f"{zero}, so no plane is spanned; one that holds both is drawn"


def unit(vector: Floats) -> Floats:
    """The vector (d,), which is not zero, divided by its length; squares neither overflow nor vanish."""
    scaled: Floats = vector / np.abs(vector).max()
    direction: Floats = scaled / np.linalg.norm(scaled)
    return direction
