"""How each measure is set where people store vectors: the setting, the number that comes back, and who normalises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

Returned = Literal["the score", "minus the score", "1 − the score", "the score squared"]
RETURNED: Mapping[Returned, Callable[[Any], Any]] = MappingProxyType(
    {
        "the score": lambda number: number,
        "minus the score": lambda number: -number,
        "1 − the score": lambda number: 1 - number,
        "the score squared": np.sqrt,
    }
)
"""What comes back, and what turns it into the score of `MEASURES`."""


@dataclass(frozen=True)
class Setting:
    """One measure in one store.

    Attributes:
        code: what sets it and asks for the ten closest; vectors x (n, d), queries q.
        returned: the number that comes back, a key of `RETURNED`.
        closest: whether the lowest or the highest number is the closest.
        normalisation: who divides by the norms, one sentence.
        source: the address of the documentation that says so.
    """

    code: str
    returned: Returned
    closest: Literal["lowest", "highest"]
    normalisation: str
    source: str


AS_STORED = "Vectors are compared as they are: normalise neither them nor the query."
BY_STORE = "The score divides by both norms itself: nothing to normalise."
PGVECTOR, FAISS = "https://github.com/pgvector/pgvector", "https://github.com/facebookresearch/faiss/wiki"
QDRANT, MILVUS = "https://qdrant.tech/documentation/concepts/collections/", "https://milvus.io/docs/metric.md"
SKLEARN, SBERT = (
    "https://scikit-learn.org/stable/modules/generated",
    "https://sbert.net/docs/package_reference/util/retrieval.html",
)


def _pgvector(operator: str, opclass: str, returned: Returned, normalisation: str) -> Setting:
    code = (
        f"CREATE INDEX ON items USING hnsw (embedding {opclass});\n"
        f"SELECT id, embedding {operator} $1 FROM items\n"
        f"ORDER BY embedding {operator} $1 LIMIT 10;"
    )
    return Setting(code, returned, "lowest", normalisation, f"{PGVECTOR}#distances")


def _faiss(index: str, returned: Returned, closest: Literal["lowest", "highest"], unit: bool) -> Setting:
    code = (
        "import faiss\n\n"
        + ("faiss.normalize_L2(x)  # in place\nfaiss.normalize_L2(q)\n" if unit else "")
        + f"index = faiss.{index}(x.shape[1])\nindex.add(x)\nnumbers, rows = index.search(q, 10)"
    )
    you = "You normalise, the vectors before adding and every query before searching: there is no cosine index."
    return Setting(code, returned, closest, you if unit else AS_STORED, f"{FAISS}/MetricType-and-distances")


def _qdrant(distance: str, closest: Literal["lowest", "highest"], normalisation: str = AS_STORED) -> Setting:
    code = (
        "from qdrant_client import models\n\n"
        "config = models.VectorParams(size=x.shape[1], distance=models.Distance." + distance + ")\n"
        'client.create_collection("items", vectors_config=config)\n'
        'points = client.query_points("items", query=q[0].tolist(), limit=10).points'
    )
    return Setting(code, "the score", closest, normalisation, QDRANT)


def _milvus(
    metric: str, returned: Returned, closest: Literal["lowest", "highest"], normalisation: str = AS_STORED
) -> Setting:
    code = (
        "index = client.prepare_index_params()\n"
        f'index.add_index(field_name="vector", index_type="HNSW", metric_type="{metric}")\n'
        'client.create_index("items", index)\n'
        'hits = client.search("items", data=q.tolist(), anns_field="vector", limit=10)'
    )
    return Setting(code, returned, closest, normalisation, MILVUS)


def _neighbours(metric: str, returned: Returned, normalisation: str) -> Setting:
    code = (
        "from sklearn.neighbors import NearestNeighbors\n\n"
        f'index = NearestNeighbors(n_neighbors=10, metric="{metric}").fit(x)\nnumbers, rows = index.kneighbors(q)'
    )
    source = f"{SKLEARN}/sklearn.neighbors.NearestNeighbors.html"
    return Setting(code, returned, "lowest", normalisation, source)


def _sbert(function: str, returned: Returned, normalisation: str) -> Setting:
    code = (
        "from sentence_transformers import util\n\n"
        f"hits = util.semantic_search(q, x, top_k=10, score_function=util.{function})"
    )
    return Setting(code, returned, "highest", normalisation, SBERT)


LINEAR = Setting(
    "import numpy as np\nfrom sklearn.metrics.pairwise import linear_kernel\n\n"
    "products = linear_kernel(q, x)\nrows = np.argsort(-products, axis=1, kind='stable')[:, :10]\n"
    "numbers = np.take_along_axis(products, rows, axis=1)",
    "the score",
    "highest",
    "NearestNeighbors takes distances only, and the dot product is none: rank its matrix. Vectors are not normalised.",
    f"{SKLEARN}/sklearn.metrics.pairwise.linear_kernel.html",
)
UPLOADED = "Qdrant normalises vectors when they are uploaded, and compares unit vectors: it keeps no norms."
ZEROS = "The operator divides by both norms itself. An index leaves out zero vectors."

STORES: Mapping[str, Mapping[str, Setting]] = MappingProxyType(
    {
        "pgvector": {
            "dot": _pgvector("<#>", "vector_ip_ops", "minus the score", AS_STORED),
            "cosine": _pgvector("<=>", "vector_cosine_ops", "1 − the score", ZEROS),
            "euclidean": _pgvector("<->", "vector_l2_ops", "the score", AS_STORED),
        },
        "FAISS": {
            "dot": _faiss("IndexFlatIP", "the score", "highest", unit=False),
            "cosine": _faiss("IndexFlatIP", "the score", "highest", unit=True),
            "euclidean": _faiss("IndexFlatL2", "the score squared", "lowest", unit=False),
        },
        "Qdrant": {
            "dot": _qdrant("DOT", "highest"),
            "cosine": _qdrant("COSINE", "highest", UPLOADED),
            "euclidean": _qdrant("EUCLID", "lowest"),
        },
        "Milvus": {
            "dot": _milvus("IP", "the score", "highest"),
            "cosine": _milvus("COSINE", "the score", "highest", BY_STORE),
            "euclidean": _milvus("L2", "the score squared", "lowest"),
        },
        "scikit-learn": {
            "dot": LINEAR,
            "cosine": _neighbours("cosine", "1 − the score", BY_STORE),
            "euclidean": _neighbours("euclidean", "the score", AS_STORED),
        },
        "sentence-transformers": {
            "dot": _sbert("dot_score", "the score", AS_STORED),
            "cosine": _sbert("cos_sim", "the score", BY_STORE),
            "euclidean": _sbert("euclidean_sim", "minus the score", AS_STORED),
        },
    }
)
"""By store and measure. The additive score is in none of them: it is no function of a distance or a product."""
